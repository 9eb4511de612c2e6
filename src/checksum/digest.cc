#include "millrace/digest.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/check.h"
#include "base/endian.h"
#include "crypto/hash.h"
#include "millrace/checksum.h"

namespace millrace {

namespace {

struct Named {
  DigestAlgorithm algorithm;
  std::string_view name;
  std::string_view alias;
  std::size_t size;
};

// In the order of the enumeration.
constexpr Named kNamed[] = {
    {DigestAlgorithm::kCrc32, "crc32", "", 4},
    {DigestAlgorithm::kCrc32c, "crc32c", "", 4},
    {DigestAlgorithm::kCrc64Nvme, "crc64nvme", "", 8},
    {DigestAlgorithm::kSha1, "sha1", "", 20},
    {DigestAlgorithm::kSha256, "sha256", "", 32},
    {DigestAlgorithm::kSha512, "sha512", "", 64},
    {DigestAlgorithm::kMd5, "md5", "", 16},
    {DigestAlgorithm::kXxh3, "xxhash3", "xxh3", 8},
    {DigestAlgorithm::kXxh64, "xxhash64", "xxh64", 8},
    {DigestAlgorithm::kXxh128, "xxhash128", "xxh128", 16},
};

const Named& named(DigestAlgorithm algorithm) {
  const auto index = static_cast<std::size_t>(algorithm);
  MR_CHECK(index < std::size(kNamed));
  return kNamed[index];
}

bool same_name(std::string_view text, std::string_view lower) {
  const auto to_lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [&](char a, char b) { return to_lower(a) == b; });
}

template <class Crc>
void combine(ByteSpan first, ByteView second, std::uint64_t second_size) {
  using Word = typename Crc::Value;
  store_be(first, Crc(load_be<Word>(first)).combine(Crc(load_be<Word>(second)), second_size).value());
}

}  // namespace

std::span<const DigestAlgorithm> digest_algorithms() {
  static constexpr auto kAll = [] {
    std::array<DigestAlgorithm, std::size(kNamed)> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kNamed[i].algorithm;
    return all;
  }();
  return kAll;
}

std::string_view digest_name(DigestAlgorithm algorithm) { return named(algorithm).name; }

std::optional<DigestAlgorithm> parse_digest_name(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const Named& entry : kNamed) {
    if (same_name(name, entry.name) || same_name(name, entry.alias)) return entry.algorithm;
  }
  return std::nullopt;
}

std::size_t digest_size(DigestAlgorithm algorithm) { return named(algorithm).size; }

bool digest_combines(DigestAlgorithm algorithm) {
  return algorithm == DigestAlgorithm::kCrc32 || algorithm == DigestAlgorithm::kCrc32c ||
         algorithm == DigestAlgorithm::kCrc64Nvme;
}

Status combine_digests(DigestAlgorithm algorithm, ByteSpan first, ByteView second, std::uint64_t second_size) {
  const std::size_t size = digest_size(algorithm);
  if (first.size() != size || second.size() != size) return Error{ErrorCode::kInvalidArgument, "digest size"};
  switch (algorithm) {
    case DigestAlgorithm::kCrc32:
      combine<Crc32>(first, second, second_size);
      return Ok{};
    case DigestAlgorithm::kCrc32c:
      combine<Crc32c>(first, second, second_size);
      return Ok{};
    case DigestAlgorithm::kCrc64Nvme:
      combine<Crc64Nvme>(first, second, second_size);
      return Ok{};
    default:
      return Error{ErrorCode::kInvalidArgument, "digest that does not combine"};
  }
}

// State is one algorithm at work. finish() writes size() bytes; reset() follows.
struct Digest::State {
  virtual ~State() = default;
  virtual void update(ByteView bytes) = 0;
  virtual Status finish(ByteSpan out) = 0;
  virtual void reset() = 0;
};

template <class Crc>
struct Digest::CrcState final : State {
  Crc crc;

  void update(ByteView bytes) override { crc.extend(bytes); }
  Status finish(ByteSpan out) override {
    store_be(out, crc.value());
    return Ok{};
  }
  void reset() override { crc = Crc(); }
};

struct Digest::HashState final : State {
  Hash hash;

  explicit HashState(Hash made) : hash(std::move(made)) {}
  void update(ByteView bytes) override { hash.update(bytes); }
  Status finish(ByteSpan out) override { return hash.finish(out); }
  void reset() override { hash.reset(); }
};

namespace {

// What differs between the three functions of the library. They cannot fail on a state that exists.
struct Xxh3 {
  using State = XXH3_state_t;
  static State* create() { return XXH3_createState(); }
  static void free(State* s) { XXH3_freeState(s); }
  static void reset(State* s) { XXH3_64bits_reset(s); }
  static void update(State* s, ByteView bytes) { XXH3_64bits_update(s, bytes.data(), bytes.size()); }
  static void finish(State* s, ByteSpan out) { store_be<std::uint64_t>(out, XXH3_64bits_digest(s)); }
};
struct Xxh64 {
  using State = XXH64_state_t;
  static State* create() { return XXH64_createState(); }
  static void free(State* s) { XXH64_freeState(s); }
  static void reset(State* s) { XXH64_reset(s, 0); }
  static void update(State* s, ByteView bytes) { XXH64_update(s, bytes.data(), bytes.size()); }
  static void finish(State* s, ByteSpan out) { store_be<std::uint64_t>(out, XXH64_digest(s)); }
};
struct Xxh128 {
  using State = XXH3_state_t;
  static State* create() { return XXH3_createState(); }
  static void free(State* s) { XXH3_freeState(s); }
  static void reset(State* s) { XXH3_128bits_reset(s); }
  static void update(State* s, ByteView bytes) { XXH3_128bits_update(s, bytes.data(), bytes.size()); }
  static void finish(State* s, ByteSpan out) {
    const XXH128_hash_t hash = XXH3_128bits_digest(s);
    store_be<std::uint64_t>(out, hash.high64);
    store_be<std::uint64_t>(out.subspan(8), hash.low64);
  }
};

}  // namespace

template <class Xxh>
struct Digest::XxhState final : State {
  struct Free {
    void operator()(typename Xxh::State* s) const { Xxh::free(s); }
  };
  std::unique_ptr<typename Xxh::State, Free> state{Xxh::create()};

  XxhState() {
    if (!state) throw std::bad_alloc();
    Xxh::reset(state.get());
  }
  void update(ByteView bytes) override {
    if (!bytes.empty()) Xxh::update(state.get(), bytes);
  }
  Status finish(ByteSpan out) override {
    Xxh::finish(state.get(), out);
    return Ok{};
  }
  void reset() override { Xxh::reset(state.get()); }
};

Digest::Digest(DigestAlgorithm algorithm, std::unique_ptr<State> state)
    : algorithm_(algorithm), state_(std::move(state)) {}
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;
Digest::~Digest() = default;

Result<Digest> Digest::create(DigestAlgorithm algorithm) {
  const auto hash = [&](HashAlgorithm wanted) -> Result<Digest> {
    MR_TRY(Hash made, Hash::create(wanted));
    return Digest(algorithm, std::make_unique<HashState>(std::move(made)));
  };
  switch (algorithm) {
    case DigestAlgorithm::kCrc32:
      return Digest(algorithm, std::make_unique<CrcState<Crc32>>());
    case DigestAlgorithm::kCrc32c:
      return Digest(algorithm, std::make_unique<CrcState<Crc32c>>());
    case DigestAlgorithm::kCrc64Nvme:
      return Digest(algorithm, std::make_unique<CrcState<Crc64Nvme>>());
    case DigestAlgorithm::kSha1:
      return hash(HashAlgorithm::kSha1);
    case DigestAlgorithm::kSha256:
      return hash(HashAlgorithm::kSha256);
    case DigestAlgorithm::kSha512:
      return hash(HashAlgorithm::kSha512);
    case DigestAlgorithm::kMd5:
      return hash(HashAlgorithm::kMd5);
    case DigestAlgorithm::kXxh3:
      return Digest(algorithm, std::make_unique<XxhState<Xxh3>>());
    case DigestAlgorithm::kXxh64:
      return Digest(algorithm, std::make_unique<XxhState<Xxh64>>());
    case DigestAlgorithm::kXxh128:
      return Digest(algorithm, std::make_unique<XxhState<Xxh128>>());
  }
  return Error{ErrorCode::kInvalidArgument, "digest algorithm"};
}

void Digest::update(ByteView bytes) { state_->update(bytes); }

Result<ByteView> Digest::finish(ByteSpan out) {
  MR_CHECK(out.size() >= size());
  const ByteSpan digest = out.first(size());
  const Status status = state_->finish(digest);
  state_->reset();
  MR_TRY(status);
  return ByteView(digest);
}

void Digest::reset() { state_->reset(); }

}  // namespace millrace
