#include "crypto/aes_gcm.h"

#include <algorithm>
#include <variant>

#include "base/check.h"
#include "crypto/aes_gcm_openssl.h"
#include "crypto/aes_x86_kernels.h"
#include "crypto/kernel_policy.h"
#include "millrace/secret.h"

namespace millrace {

namespace {

using Choice = CryptoChoice<AesGcmKernel>;

std::span<const Choice> choices() {
  static const auto& list =
      *new auto(crypto_choices(aes_gcm_native_kernels()));  // for ever: static objects may seal at exit
  return list;
}

const Choice& default_choice() {
  static const Choice& choice = choose_crypto(choices());
  return choice;
}

Error too_long() { return Error{ErrorCode::kLimitExceeded, "AES-GCM message size"}; }

}  // namespace

struct AesGcm::State {
  struct Native {
    explicit Native(const AesGcmKernel& k) : kernel(k) {}
    const AesGcmKernel& kernel;
    KeyMemory<GcmKey> key;
  };
  std::variant<std::monostate, Native, OpensslGcm> with;

  static Result<std::unique_ptr<State>> create(const Choice& choice, ByteView key) {
    if (key.size() != 16 && key.size() != 32) return Error{ErrorCode::kInvalidArgument, "AES key size"};
    std::unique_ptr<State> state(new State);  // not make_unique, which would zero the room for the key first
    if (choice.native != nullptr) {
      Native& native = state->with.emplace<Native>(*choice.native);
      native.kernel.set_up(native.key.get(), key);
    } else {
      MR_TRY(auto openssl, OpensslGcm::create(key));
      state->with.emplace<OpensslGcm>(std::move(openssl));
    }
    return state;
  }
};

AesGcm::AesGcm(std::unique_ptr<State> state) : state_(std::move(state)) {}
AesGcm::AesGcm(AesGcm&&) noexcept = default;
AesGcm& AesGcm::operator=(AesGcm&&) noexcept = default;
AesGcm::~AesGcm() = default;

Result<AesGcm> AesGcm::create(ByteView key) {
  MR_TRY(auto state, State::create(default_choice(), key));
  return AesGcm(std::move(state));
}

Result<AesGcm> AesGcm::create_with(std::string_view kernel, ByteView key) {
  const Choice* const choice = find_crypto(choices(), kernel);
  if (choice == nullptr) return Error{ErrorCode::kInvalidArgument, "AES-GCM kernel"};
  MR_TRY(auto state, State::create(*choice, key));
  return AesGcm(std::move(state));
}

Status AesGcm::seal(ByteView nonce, ByteView associated_data, ByteView plaintext, ByteSpan out) const {
  MR_CHECK(nonce.size() == kGcmNonceSize && out.size() == plaintext.size() + kGcmTagSize);
  if (plaintext.size() > kGcmMaxMessageSize) {
    secure_zero(out);
    return too_long();
  }
  if (const auto* native = std::get_if<State::Native>(&state_->with)) {
    native->kernel.seal(native->key.get(), nonce.data(), associated_data, plaintext, out.data(),
                        out.data() + plaintext.size());
    return Ok{};
  }
  return std::get<OpensslGcm>(state_->with).seal(nonce, associated_data, plaintext, out);
}

Status AesGcm::open(ByteView nonce, ByteView associated_data, ByteView sealed, ByteSpan out) const {
  MR_CHECK(nonce.size() == kGcmNonceSize && sealed.size() == out.size() + kGcmTagSize);
  if (out.size() > kGcmMaxMessageSize) {
    secure_zero(out);
    return too_long();
  }
  if (const auto* native = std::get_if<State::Native>(&state_->with)) {
    std::byte expected[kGcmTagSize];
    native->kernel.open(native->key.get(), nonce.data(), associated_data, sealed.first(out.size()), out.data(),
                        expected);
    const bool authentic = equal_constant_time(expected, sealed.subspan(out.size()));
    secure_zero(expected);  // the tag that would have been accepted
    if (authentic) return Ok{};
    secure_zero(out);
    return Error{ErrorCode::kNotAuthentic, "AES-GCM tag"};
  }
  return std::get<OpensslGcm>(state_->with).open(nonce, associated_data, sealed, out);
}

// With a native kernel: `block` holds `used` bytes of the last, broken block as ciphertext, and behind them the rest of
// its key stream.
struct GcmSealer::Progress {
  const AesGcm::State* key = nullptr;  // null: no message
  std::uint64_t associated_size = 0;
  std::uint64_t size = 0;
  GcmProgress native;
  std::byte mask[16];  // of the tag
  std::byte block[16];
  std::size_t used = 0;
  OpensslGcmSealer openssl;

  ~Progress() { stop(); }
  void stop() {
    key = nullptr;
    openssl.stop();
    secure_zero(std::as_writable_bytes(std::span(&native, 1)));
    secure_zero(mask);
    secure_zero(block);
  }
  void update_native(const AesGcm::State::Native& with, ByteView in, std::byte* out);
};

GcmSealer::GcmSealer() : progress_(std::make_unique<Progress>()) {}
GcmSealer::GcmSealer(GcmSealer&&) noexcept = default;
GcmSealer& GcmSealer::operator=(GcmSealer&&) noexcept = default;
GcmSealer::~GcmSealer() = default;

Status GcmSealer::start(const AesGcm& key, ByteView nonce, ByteView associated_data) {
  MR_CHECK(nonce.size() == kGcmNonceSize);
  Progress& p = *progress_;
  p.key = key.state_.get();
  p.associated_size = associated_data.size();
  p.size = 0;
  p.used = 0;
  if (const auto* with = std::get_if<AesGcm::State::Native>(&p.key->with)) {
    with->kernel.start(p.native, nonce.data());
    with->kernel.key_stream(with->key.get(), p.native, p.mask);
    with->kernel.absorb(with->key.get(), p.native, associated_data);
    return Ok{};
  }
  if (p.openssl.start(std::get<OpensslGcm>(p.key->with), nonce, associated_data)) return Ok{};
  p.stop();
  return Error{ErrorCode::kIo, "AES-GCM seal"};
}

void GcmSealer::Progress::update_native(const AesGcm::State::Native& with, ByteView in, std::byte* out) {
  const auto take = [&](std::size_t n) {  // n bytes with the key stream that waits in `block`
    for (std::size_t i = 0; i < n; ++i) out[i] = block[used + i] ^= in[i];
    used += n;
    in = in.subspan(n);
    out += n;
  };
  if (used != 0) take(std::min(in.size(), sizeof block - used));
  if (used == sizeof block) {
    with.kernel.absorb(with.key.get(), native, ByteView(block));
    used = 0;
  }
  const std::size_t whole = in.size() / sizeof block * sizeof block;
  if (whole != 0) {
    with.kernel.seal_blocks(with.key.get(), native, in.first(whole), out);
    in = in.subspan(whole);
    out += whole;
  }
  if (!in.empty()) {
    with.kernel.key_stream(with.key.get(), native, block);
    take(in.size());
  }
}

Status GcmSealer::update(ByteView in, ByteSpan out) {
  Progress& p = *progress_;
  MR_CHECK(p.key != nullptr && in.size() == out.size());
  if (in.size() > kGcmMaxMessageSize - p.size) {
    p.stop();
    secure_zero(out);
    return too_long();
  }
  p.size += in.size();
  if (const auto* with = std::get_if<AesGcm::State::Native>(&p.key->with)) {
    p.update_native(*with, in, out.data());
    return Ok{};
  }
  if (p.openssl.update(in, out.data())) return Ok{};
  p.stop();
  secure_zero(out);
  return Error{ErrorCode::kIo, "AES-GCM seal"};
}

Status GcmSealer::finish(ByteSpan tag) {
  Progress& p = *progress_;
  MR_CHECK(p.key != nullptr && tag.size() == kGcmTagSize);
  bool done = true;
  if (const auto* with = std::get_if<AesGcm::State::Native>(&p.key->with)) {
    if (p.used != 0) with->kernel.absorb(with->key.get(), p.native, ByteView(p.block).first(p.used));
    with->kernel.finish(with->key.get(), p.native, p.associated_size, p.size, tag.data());
    for (std::size_t i = 0; i < kGcmTagSize; ++i) tag[i] ^= p.mask[i];
  } else {
    done = p.openssl.finish(tag);
  }
  p.stop();
  if (done) return Ok{};
  secure_zero(tag);
  return Error{ErrorCode::kIo, "AES-GCM seal"};
}

std::string_view aes_gcm_kernel_name() { return crypto_name(default_choice()); }

std::vector<std::string_view> aes_gcm_kernel_names() { return crypto_names(choices()); }

}  // namespace millrace
