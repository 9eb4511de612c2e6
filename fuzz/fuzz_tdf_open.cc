// Whole TDF files. First as they come: whatever the bytes, every way to read a file gives one verdict and the same
// plaintext. Then the fuzzer is let in behind the cryptography: a manifest that parses is given a key, right segments
// of the sizes that it claims, and right signatures, and must open to what was sealed; with one byte changed it must
// not.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "crypto/aes_gcm.h"
#include "millrace/base64.h"
#include "millrace/tdf.h"
#include "tdf/key_split.h"
#include "tdf/root_signature.h"
#include "tdf/tdf_cipher.h"
#include "zip/archive_builder.h"

using namespace millrace;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

using Bytes = std::vector<std::byte>;

// A wrapped key is taken for the share itself.
class OpenAccess final : public tdf::KeyAccess {
 public:
  std::vector<Share> unwrap(std::string_view, std::span<const tdf::KeyAccessObject> objects) const override {
    std::vector<Share> shares(objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      Bytes bytes(base64_decoded_capacity(objects[i].wrapped_key.size()));
      const auto size = base64_decode(objects[i].wrapped_key, bytes);
      shares[i].error = Error{ErrorCode::kNotAuthentic, "wrapped key"};
      if (size && *size == tdf::kKeySize) shares[i].bytes = SecretBytes::copy_of(ByteView(bytes).first(*size));
    }
    return shares;
  }
};

// read_every_way returns the plaintext, or nothing; all ways must agree.
std::optional<Bytes> read_every_way(ByteView file) {
  const MemoryReadAt in(file);
  const auto reader = tdf::Reader::open(in, OpenAccess());
  if (!reader) return std::nullopt;
  require(tdf::inspect(in).has_value());
  MemorySink pulled;
  const auto source = reader->source();
  require(source->remaining() == reader->info().plain_size);
  const auto pull = pump(*source, pulled);
  require(reader->verify(1).has_value() == pull.has_value());
  const auto plain = reader->read_at();
  Bytes bytes(plain ? static_cast<std::size_t>((*plain)->size()) : 0);
  const bool read = plain && (*plain)->read_at(0, bytes);
  require(read == pull.has_value());
  if (!read) return std::nullopt;
  require(std::ranges::equal(bytes, pulled.bytes()));
  return bytes;
}

// resealed is a file like the one that the manifest describes, with everything right.
std::optional<Bytes> resealed(tdf::Manifest manifest) {
  static const Bytes key(tdf::kKeySize, std::byte{7});
  static const AesGcm gcm = *AesGcm::create(key);
  tdf::KeyAccessObject object;
  object.type = "wrapped";
  object.wrapped_key = base64_encode(key);
  object.binding_algorithm = "HS256";
  object.binding_hash = *tdf::policy_binding(key, manifest.policy);
  manifest.key_access = {object};
  manifest.root_algorithm = "HS256";
  manifest.segment_hash = tdf::SegmentHash::kGmac;
  manifest.assertions.clear();
  Bytes payload;
  for (tdf::Segment& segment : manifest.segments) {
    const std::size_t at = payload.size();
    payload.resize(at + static_cast<std::size_t>(segment.cipher_size));
    const ByteSpan sealed = ByteSpan(payload).subspan(at);
    sealed[0] = static_cast<std::byte>(at);  // a nonce of its own for each; the rest is zero
    sealed[1] = static_cast<std::byte>(at >> 8);
    sealed[2] = static_cast<std::byte>(at >> 16);
    const ByteSpan body = sealed.subspan(kGcmNonceSize);
    require(gcm.seal(sealed.first(kGcmNonceSize), {}, body.first(body.size() - kGcmTagSize), body).has_value());
    segment.hash = {};
    segment.hash_is_valid = true;
    std::ranges::copy(sealed.last(kGcmTagSize), segment.hash.begin());
  }
  manifest.root_signature = *tdf::root_signature(key, tdf::aggregate_hashes(manifest), manifest.version);
  const auto json = to_json(manifest);
  if (!json) return std::nullopt;  // what no manifest of ours may hold

  zip::ArchiveBuilder archive;
  Bytes file;
  const auto put = [&](ByteView bytes) { file.insert(file.end(), bytes.begin(), bytes.end()); };
  put(*archive.begin("0.payload", payload.size()));
  put(payload);
  put(*archive.end(payload.size(), Crc32::of(payload).value()));
  put(*archive.add("0.manifest.json", as_bytes(*json)));
  put(as_bytes(*json));
  put(*archive.finish());
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input(reinterpret_cast<const std::byte*>(data), size);
  read_every_way(input);

  const MemoryReadAt in(input);
  auto found = tdf::inspect(in);
  constexpr std::uint64_t kMost = 64 << 10;  // of payload: the fuzzer is after shapes, not bytes
  if (!found || found->plain_size + 28 * found->manifest.segments.size() > kMost) return 0;
  const std::uint64_t plain_size = found->plain_size;
  std::optional<Bytes> file = resealed(std::move(found->manifest));
  if (!file) return 0;
  const std::optional<Bytes> plain = read_every_way(*file);
  require(plain.has_value() && plain->size() == plain_size &&
          std::ranges::count(*plain, std::byte{0}) == static_cast<std::ptrdiff_t>(plain_size));
  const std::size_t payload = tdf::inspect(MemoryReadAt(*file))->payload_offset;
  const std::size_t payload_size = static_cast<std::size_t>(tdf::inspect(MemoryReadAt(*file))->payload_size);
  if (payload_size == 0) return 0;
  (*file)[payload + data[size / 2] * std::size_t{251} % payload_size] ^= std::byte{1};
  require(!read_every_way(*file));
  return 0;
}
