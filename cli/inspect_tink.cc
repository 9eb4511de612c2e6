#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "failure.h"
#include "inspect.h"
#include "tink_format.h"

namespace millrace::cli {

namespace {

using Json = nlohmann::ordered_json;

// HeadSource remembers the first bytes of a stream and counts the rest.
class HeadSource final : public Source {
 public:
  explicit HeadSource(Source& inner) : inner_(inner) {}
  Result<ByteView> pull(ByteSpan scratch) override {
    MR_TRY(const ByteView bytes, inner_.pull(scratch));
    if (!bytes.empty() && size_ == 0) first_ = bytes[0];
    size_ += bytes.size();
    return bytes;
  }
  std::uint64_t size() const { return size_; }
  std::size_t first_byte() const { return static_cast<std::size_t>(first_); }

 private:
  Source& inner_;
  std::byte first_{0};
  std::uint64_t size_ = 0;
};

std::string construction_text(const tink::StreamingParams& params) {
  if (params.construction == tink::Construction::kAesGcmHkdf) {
    return fmt::format("AES{}-GCM-HKDF-{}", params.derived_key_size * 8, tink::to_text(params.hkdf_hash));
  }
  return fmt::format("AES{}-CTR-HKDF-{}-HMAC-{} (tag {})", params.derived_key_size * 8, tink::to_text(params.hkdf_hash),
                     tink::to_text(params.hmac_hash), params.hmac_tag_size);
}

std::string template_name_of(const tink::StreamingParams& params) {
  for (const tink::Template& candidate : tink::templates()) {
    if (candidate.params == params) return std::string(candidate.name);
  }
  return {};
}

// Without a key: the header's size byte tells the size of the derived key, the length of the stream which of the
// templates it can belong to. Nothing of this is authenticated.
Json without_key(const std::string& name, std::uint64_t size, std::size_t header_size) {
  if (size == 0)
    fail(kExitNotAuthentic, fmt::format("{}: empty; not a stream of any format that millrace reads", name));
  if (!may_be_tink(static_cast<std::byte>(header_size))) {
    fail(kExitNotAuthentic,
         fmt::format("{}: not a Tink stream (its first byte is {}, not 24 or 40)", name, header_size));
  }
  Json fits = Json::array();
  for (const tink::Template& candidate : tink::templates()) {
    const Result<tink::StreamInfo> info = tink::stream_shape(candidate.params, size);
    if (candidate.params.derived_key_size + 8 != header_size || !info) continue;
    fits.push_back({{"template", candidate.name}, {"plaintext_bytes", info->plain_size}, {"segments", info->segments}});
  }
  constexpr std::uint64_t kSmallestTag = 10;  // of AES-CTR-HMAC
  if (size < header_size + kSmallestTag)
    fail(kExitNotAuthentic, fmt::format("{}: too short for a Tink stream ({} bytes)", name, size));
  return {{"format", "tink-streaming-aead"},      {"bytes", size},          {"header_bytes", header_size},
          {"derived_key_bytes", header_size - 8}, {"authenticated", false}, {"templates_that_fit", fits}};
}

Json with_key(std::uint64_t size, const tink::StreamInfo& info) {
  return {{"format", "tink-streaming-aead"},
          {"bytes", size},
          {"header_bytes", info.params.derived_key_size + 8},
          {"authenticated", true},
          {"key_id", info.key_id},
          {"template", template_name_of(info.params)},
          {"construction", construction_text(info.params)},
          {"segment_bytes", info.params.ciphertext_segment_size},
          {"segments", info.segments},
          {"plaintext_bytes", info.plain_size}};
}

void print_text(const std::string& name, const Json& result) {
  fmt::print("{}: Tink streaming AEAD, {} bytes\n", name, result["bytes"].get<std::uint64_t>());
  if (!result["authenticated"].get<bool>()) {
    fmt::print("  derived key      {} bytes\n", result["derived_key_bytes"].get<std::uint64_t>());
    fmt::print("  templates that fit (not authenticated; --keyset tells which key opens it):\n");
    for (const Json& fit : result["templates_that_fit"]) {
      fmt::print("    {:<28} {} bytes of plaintext in {} segments\n", fit["template"].get<std::string>(),
                 fit["plaintext_bytes"].get<std::uint64_t>(), fit["segments"].get<std::uint64_t>());
    }
    return;
  }
  fmt::print("  key              {}\n", result["key_id"].get<std::uint32_t>());
  const std::string name_of_template = result["template"].get<std::string>();
  fmt::print("  template         {}\n", name_of_template.empty() ? "none (own parameters)" : name_of_template);
  fmt::print("  construction     {}\n", result["construction"].get<std::string>());
  fmt::print("  segment size     {}\n", result["segment_bytes"].get<std::uint64_t>());
  fmt::print("  segments         {}\n", result["segments"].get<std::uint64_t>());
  fmt::print("  plaintext        {} bytes\n", result["plaintext_bytes"].get<std::uint64_t>());
}

}  // namespace

void inspect_tink(Transfer& transfer, const KeyOptions& keys, bool json) {
  std::optional<TinkKeys> with;
  if (!keys.keyset.empty()) with.emplace(keys);
  Json result;
  if (const ReadAt* in = transfer.read_at()) {
    std::byte first[1];
    check_or_fail(in->read_at(0, first), transfer.input_name());
    result = without_key(transfer.input_name(), in->size(), static_cast<std::size_t>(first[0]));
    if (with) result = with_key(in->size(), transfer.or_fail(with->aead.inspect(*in, with->associated_data)));
  } else {  // a pipe is read to its end
    HeadSource head(transfer.source());
    NullSink nowhere;
    if (!with) {
      transfer.or_fail(pump(head, nowhere));
      result = without_key(transfer.input_name(), head.size(), head.first_byte());
    } else {
      const auto opened = transfer.or_fail(with->aead.decrypt_source(head, with->associated_data));
      transfer.or_fail(pump(*opened, nowhere));
      result = with_key(head.size(), opened->info());
    }
  }
  if (json) {
    fmt::print("{}\n", result.dump());
  } else {
    print_text(transfer.input_name(), result);
  }
}

}  // namespace millrace::cli
