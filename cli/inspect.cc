#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "failure.h"
#include "options.h"
#include "transfer.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct InspectOptions {
  KeyOptions keys;
  std::string input;
  bool json = false;
};

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
  if (header_size != 24 && header_size != 40) {
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

void inspect(const InspectOptions& options) {
  TransferOptions transfer_options;
  transfer_options.input = options.input;
  options.keys.check_against(transfer_options);
  ReportOptions silent;
  silent.quiet = true;
  Transfer transfer("inspect", transfer_options, silent, std::nullopt);
  const std::vector<std::byte> associated_data = options.keys.read_associated_data();

  Json result;
  if (const ReadAt* in = transfer.read_at()) {
    std::byte first[1];
    check_or_fail(in->read_at(0, first), transfer.input_name());
    result = without_key(transfer.input_name(), in->size(), static_cast<std::size_t>(first[0]));
    if (!options.keys.keyset.empty()) {
      const auto info = options.keys.streaming().inspect(*in, associated_data);
      if (!info) transfer.fail_input(info.error(), {});
      result = with_key(in->size(), *info);
    }
  } else {  // a pipe is read to its end
    HeadSource head(transfer.source());
    NullSink nowhere;
    if (options.keys.keyset.empty()) {
      if (const auto done = pump(head, nowhere); !done) transfer.fail_input(done.error(), {});
      result = without_key(transfer.input_name(), head.size(), head.first_byte());
    } else {
      const tink::StreamingAead aead = options.keys.streaming();
      const auto opened = value_or_fail(aead.decrypt_source(head, associated_data), "inspect");
      if (const auto done = pump(*opened, nowhere); !done) transfer.fail_input(done.error(), {});
      result = with_key(head.size(), opened->info());
    }
  }
  if (options.json) {
    fmt::print("{}\n", result.dump());
  } else {
    print_text(transfer.input_name(), result);
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("inspect", "Show the layout of an encrypted file; needs no key");
  auto options = std::make_shared<InspectOptions>();
  verb->add_option("IN", options->input, "input file; - or nothing: standard input")->check(not_empty());
  options->keys.add_to(*verb, false);
  verb->add_flag("--json", options->json, "print a JSON object");
  verb->footer(
      "Example:\n  millrace inspect backup.tar.enc\n  millrace inspect --keyset keys.json --json backup.tar.enc");
  verb->callback([options] { inspect(*options); });
}

}  // namespace millrace::cli
