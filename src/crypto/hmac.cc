#include "crypto/hmac.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/check.h"
#include "crypto/hmac_direct.h"
#include "crypto/hmac_evp.h"
#include "crypto/kernel_policy.h"

namespace millrace {

struct Hmac::State {
  State(HashAlgorithm h, ByteView key) : hash(h) {
    MR_CHECK(h != HashAlgorithm::kMd5);
    if (openssl_only()) {
      with.emplace<EvpHmac>(h, key);
    } else {
      with.emplace<DirectHmac>(h, key);
    }
  }

  bool compute(ByteSpan out, ByteView a, ByteView b, ByteView c) const {
    if (const auto* evp = std::get_if<EvpHmac>(&with)) return evp->compute(out, a, b, c);
    std::get<DirectHmac>(with).compute(out, a, b, c);
    return true;
  }

  HashAlgorithm hash;
  std::variant<std::monostate, DirectHmac, EvpHmac> with;
};

Hmac::Hmac(std::unique_ptr<State> state) : state_(std::move(state)) {}
Hmac::Hmac(Hmac&&) noexcept = default;
Hmac& Hmac::operator=(Hmac&&) noexcept = default;
Hmac::~Hmac() = default;

Result<Hmac> Hmac::create(HashAlgorithm hash, ByteView key) { return Hmac(std::make_unique<State>(hash, key)); }

Status Hmac::compute(ByteSpan out, ByteView a, ByteView b, ByteView c) const {
  MR_CHECK(out.size() <= hash_size(state_->hash));
  if (!state_->compute(out, a, b, c)) return Error{ErrorCode::kIo, "HMAC"};
  return Ok{};
}

struct HmacStream::State {
  using Message = std::variant<DirectHmac::Message, EvpHmac::Message>;

  explicit State(const Hmac::State& key) : hash(key.hash), message(message_of(key)) {}

  static Message message_of(const Hmac::State& key) {
    if (const auto* evp = std::get_if<EvpHmac>(&key.with)) return Message(std::in_place_type<EvpHmac::Message>, *evp);
    return Message(std::in_place_type<DirectHmac::Message>, std::get<DirectHmac>(key.with));
  }

  HashAlgorithm hash;
  Message message;
  bool started = false;
};

HmacStream::HmacStream(const Hmac& key) : state_(std::make_unique<State>(*key.state_)) {}
HmacStream::HmacStream(HmacStream&&) noexcept = default;
HmacStream& HmacStream::operator=(HmacStream&&) noexcept = default;
HmacStream::~HmacStream() = default;

void HmacStream::start() {
  std::visit([](auto& message) { message.start(); }, state_->message);
  state_->started = true;
}

void HmacStream::update(ByteView bytes) {
  MR_CHECK(state_->started);
  std::visit([&](auto& message) { message.update(bytes); }, state_->message);
}

Status HmacStream::finish(ByteSpan out) {
  MR_CHECK(state_->started && out.size() <= hash_size(state_->hash));
  state_->started = false;
  if (!std::visit([&](auto& message) { return message.finish(out); }, state_->message))
    return Error{ErrorCode::kIo, "HMAC"};
  return Ok{};
}

Result<SecretBytes> hkdf(HashAlgorithm hash, ByteView ikm, ByteView salt, ByteView info, std::size_t size) {
  const std::size_t digest = hash_size(hash);
  if (size > 255 * digest) return Error{ErrorCode::kInvalidArgument, "HKDF output size"};
  std::byte prk_room[kMaxHashSize];
  const ByteSpan prk = ByteSpan(prk_room).first(digest);
  bool done = Hmac::State(hash, salt).compute(prk, ikm, {}, {});
  const Hmac::State expand(hash, prk);
  secure_zero(prk);
  SecretBytes out(size);
  std::size_t made = 0;
  for (std::uint8_t block = 1; done && made < size; ++block) {
    const std::byte counter[1] = {static_cast<std::byte>(block)};
    const ByteView previous = made == 0 ? ByteView{} : out.reveal().subspan(made - digest, digest);
    const std::size_t n = std::min(digest, size - made);
    done = expand.compute(out.fill().subspan(made, n), previous, info, counter);
    made += n;
  }
  if (!done) return Error{ErrorCode::kIo, "HKDF"};
  return out;
}

}  // namespace millrace
