#include "tdf_options.h"

#include <fmt/core.h>

#include <ctime>

#include "failure.h"
#include "options.h"
#include "secret_input.h"

namespace millrace::cli {

namespace {

constexpr const char* kGroup = "TDF files";  // in --help
constexpr std::size_t kMaxPublicKey = 64 * 1024;
// To what the limits of reading can be raised: a segment is held in memory whole, and its size in 32 bits.
constexpr std::uint64_t kMaxLimit = std::uint64_t{1} << 30;
// Policies, metadata and assertions are carried in the manifest, so they can be no larger than it.
constexpr std::size_t kMaxDocument = std::size_t{10} << 20;

// configured unwraps what came from the user's configuration: whatever is wrong with it is a usage error.
template <class T>
T configured(Result<T> result, const std::string& what, std::string_view hint = {}) {
  if (!result) {
    fail(kExitUsage, fmt::format("{}: {}{}{}", what, describe(result.error()), hint.empty() ? "" : "; ", hint));
  }
  return *std::move(result);
}

void check_url(const std::string& url) {
  const std::size_t host = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : std::string::npos;
  const bool plain = url.find_first_of(" \t\r\n\"<>\\^`{|}") == std::string::npos;
  if (host == std::string::npos || url.size() <= host || url[host] == '/' || !plain)
    fail(kExitUsage, fmt::format("--kas-url {}: expected https://HOST[:PORT][/PATH]", url));
}

std::string now_as_rfc3339() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  char text[32] = {};
  if (::gmtime_r(&now, &parts) != nullptr) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

bool is_json_text(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && (text[first] == '[' || text[first] == '{');
}

CLI::Option* add_file(CLI::App& verb, const char* name, std::string& where, const char* description) {
  return verb.add_option(name, where, description)->type_name("FILE")->check(not_empty());
}

// One argument for each mention, so that what follows is still the input.
CLI::Option* add_list(CLI::App& verb, const char* name, std::vector<std::string>& list, const char* description) {
  return verb.add_option(name, list, description)->allow_extra_args(false)->check(not_empty());
}

}  // namespace

KeyName KeyName::parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || text.find('/') < equals) return {{}, text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void TdfWriteOptions::add_to(CLI::App& verb) {
  CLI::Option* tdf = verb.add_flag("--tdf", chosen, "write a TDF file (OpenTDF), for the keys below")
                         ->excludes("--keyset")
                         ->excludes("--associated-data")
                         ->excludes("--associated-data-file")
                         ->excludes("--kek");
  std::vector<CLI::Option*> all;
  all.push_back(add_list(verb, "--kas-public-key", public_keys,
                         "whom it is for: public key or certificate, RSA or EC; may be repeated")
                    ->type_name("[KID=]FILE"));
  all.push_back(
      add_list(verb, "--kas-url", urls, "the key access server of each key; one may serve all")->type_name("URL"));
  all.push_back(add_list(verb, "--kid", kids, "the id of each key at its server")->type_name("ID"));
  all.push_back(verb.add_option("--split", split, "several keys: all are needed, or any one will do; default: all")
                    ->check(CLI::IsMember({"all", "any"})));
  CLI::Option* attr = add_list(verb, "-a,--attr", attributes,
                               "attribute value of the policy, https://HOST/attr/NAME/value/VALUE; may be repeated")
                          ->delimiter(',')
                          ->type_name("FQN");
  all.push_back(attr);
  all.push_back(add_file(verb, "--policy", policy_file, "the whole policy, as JSON")->excludes(attr));
  all.push_back(verb.add_option("--mime-type", mime_type, "type of the plaintext; default: detected")
                    ->type_name("TYPE")
                    ->check(not_empty()));
  all.push_back(
      verb.add_option("--segment-size", segment_size,
                      "plaintext of a segment, 16KiB to 4MiB less 28 bytes; default: 2MiB; more for a large file")
          ->type_name("SIZE")
          ->transform(CLI::AsSizeValue(false)));
  all.push_back(verb.add_option("--segment-hash", segment_hash, "GMAC or HS256; default: GMAC")
                    ->check(CLI::IsMember({"GMAC", "HS256"}, CLI::ignore_case)));
  all.push_back(verb.add_option("--target-mode", target_mode, "version of the format, 4.2.2 or 4.3.0; default: 4.3.0")
                    ->check(CLI::IsMember({"4.2.2", "4.3.0"})));
  CLI::Option* text =
      verb.add_option("--metadata", metadata, "stored encrypted, for whoever can open the file")->type_name("TEXT");
  all.push_back(text);
  all.push_back(add_file(verb, "--metadata-file", metadata_file, "the same, from a file")->excludes(text));
  all.push_back(verb.add_option("--with-assertions", assertions, "assertions to sign: JSON text or a file of it")
                    ->type_name("JSON|FILE")
                    ->check(not_empty()));
  all.push_back(verb.add_flag("--system-metadata-assertion", system_metadata,
                              "add the assertion about time and system that the SDKs make"));
  all.push_back(verb.add_option("--max-manifest-size", max_manifest_size,
                                "refuse to write a larger manifest; default: 10MiB, which is what other readers take")
                    ->type_name("SIZE")
                    ->transform(CLI::AsSizeValue(false)));
  tdf->group(kGroup);
  for (CLI::Option* option : all) option->needs(tdf)->group(kGroup);
}

std::vector<std::string> TdfWriteOptions::files() const {
  std::vector<std::string> all = {policy_file, metadata_file};
  if (!is_json_text(assertions)) all.push_back(assertions);
  for (const std::string& key : public_keys) all.push_back(KeyName::parse(key).file);
  return all;
}

std::vector<tdf::KasTarget> TdfWriteOptions::load_targets() const {
  if (public_keys.empty()) fail(kExitUsage, "--tdf: for whom? give --kas-public-key FILE");
  if (urls.empty())
    fail(kExitUsage, "--tdf: give --kas-url URL, the server that opens the file for others; it is not contacted");
  if (urls.size() != 1 && urls.size() != public_keys.size())
    fail(kExitUsage,
         fmt::format("--kas-url: {} for {} keys; give one for all or one for each", urls.size(), public_keys.size()));
  if (!kids.empty() && kids.size() != public_keys.size())
    fail(kExitUsage, fmt::format("--kid: {} for {} keys; give one for each", kids.size(), public_keys.size()));
  for (const std::string& url : urls) check_url(url);
  std::vector<tdf::KasTarget> targets;
  for (std::size_t i = 0; i < public_keys.size(); ++i) {
    KeyName name = KeyName::parse(public_keys[i]);
    if (name.file.empty()) fail(kExitUsage, fmt::format("--kas-public-key {}: no file", public_keys[i]));
    if (!name.kid.empty() && !kids.empty())
      fail(kExitUsage, fmt::format("--kas-public-key {}: its kid is given twice, here and with --kid", public_keys[i]));
    const std::vector<std::byte> bytes = read_file(name.file, kMaxPublicKey);
    tdf::KasPublicKey key = value_or_fail(tdf::KasPublicKey::parse(bytes), name.file,
                                          "expected an RSA or EC public key or a certificate, PEM or DER");
    targets.push_back({urls.size() == 1 ? urls[0] : urls[i], kids.empty() ? name.kid : kids[i], std::move(key)});
  }
  for (std::size_t i = 1; split == "any" && i < targets.size(); ++i) {
    if (targets[i].url == targets[0].url) {
      warn("--split any with several keys at one URL: the web SDK does not open such files");
      break;
    }
  }
  return targets;
}

tdf::WriterOptions TdfWriteOptions::load() const {
  tdf::WriterOptions options;
  options.targets = load_targets();
  options.split = split == "any" ? tdf::Split::kAny : tdf::Split::kAll;
  for (const std::string& fqn : attributes) {
    configured(tdf::validate_attribute_fqn(fqn), "--attr " + fqn, "expected https://HOST/attr/NAME/value/VALUE");
    options.policy.attributes.emplace_back().fqn = fqn;
  }
  if (!policy_file.empty()) {
    const std::vector<std::byte> json = read_file(policy_file, kMaxDocument);
    const tdf::Policy policy = configured(tdf::parse_policy(json), policy_file, "expected policy JSON");
    if (!policy.dissem.empty()) warn(fmt::format("{}: servers ignore dissem, so it protects nothing", policy_file));
    options.policy_json = std::string(as_text(json));
  }
  options.mime_type = mime_type;
  options.metadata = metadata_file.empty() ? metadata : std::string(as_text(read_file(metadata_file, kMaxDocument)));
  if (!assertions.empty()) {
    SecretBytes json;  // with keys to sign with, perhaps
    if (!is_json_text(assertions)) json = read_secret_input(assertions, {"list of assertions", kMaxDocument}).bytes;
    options.assertions = configured(tdf::parse_new_assertions(json.size() > 0 ? json.reveal() : as_bytes(assertions)),
                                    "--with-assertions", "expected a JSON array of assertions");
  }
  if (system_metadata) options.assertions.push_back(tdf::system_metadata_assertion(now_as_rfc3339()));
  if (segment_size) {
    if (*segment_size < tdf::kMinSegmentSize || *segment_size > tdf::kMaxPortableSegmentSize)
      fail(kExitUsage, fmt::format("--segment-size {}: from 16KiB to {} bytes (4MiB less 28), as other readers want it",
                                   *segment_size, tdf::kMaxPortableSegmentSize));
    options.segment_size = *segment_size;
  }
  const bool hs256 = segment_hash.size() == 5;
  options.segment_hash = hs256 ? tdf::SegmentHash::kHs256 : tdf::SegmentHash::kGmac;
  options.version = target_mode == "4.2.2" ? tdf::SpecVersion::k422 : tdf::SpecVersion::k430;
  if (hs256 && options.version == tdf::SpecVersion::k422)
    fail(kExitUsage, "--segment-hash HS256 with --target-mode 4.2.2: readers do not agree on it; use GMAC or 4.3.0");
  options.max_manifest_size = max_manifest_size;
  return options;
}

void TdfKeyOptions::add_to(CLI::App& verb) {
  add_list(verb, "--kas-private-key", private_keys,
           "private key, FILE, fd:N or env:NAME; may be repeated; opens offline")
      ->type_name("[KID=]FILE")
      ->group(kGroup);
  CLI::Option* keys = add_file(verb, "--with-assertion-verification-keys", verification_keys,
                               "the keys that assertions are signed with, as JSON")
                          ->group(kGroup);
  verb.add_flag("--no-verify-assertions", no_verify_assertions, "open whatever the assertions are")
      ->excludes(keys)
      ->group(kGroup);
  const auto add_limit = [&](const char* name, std::uint64_t& limit, const char* description) {
    verb.add_option(name, limit, description)
        ->type_name("SIZE")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::Range(std::uint64_t{1}, kMaxLimit).description(""))
        ->group(kGroup);
  };
  add_limit("--max-manifest-size", limits.max_size, "largest manifest that is read, up to 1GiB; default: 10MiB");
  add_limit("--max-segment-size", limits.max_segment_size,
            "largest segment that is opened, up to 1GiB; default: 16MiB");
  add_limit("--max-segments", limits.max_segments, "most segments that a file may have; default: 1Mi");
}

std::vector<std::string> TdfKeyOptions::files() const {
  std::vector<std::string> all = {verification_keys};
  for (const std::string& key : private_keys) all.push_back(KeyName::parse(key).file);
  return all;
}

TdfKeys::TdfKeys(const TdfKeyOptions& options)
    : limits_(options.limits), verify_assertions_(!options.no_verify_assertions) {
  for (const std::string& text : options.private_keys) {
    const KeyName name = KeyName::parse(text);
    if (name.file.empty()) fail(kExitUsage, fmt::format("--kas-private-key {}: no file", text));
    const SecretInput key = read_private_key(name.file);
    check_or_fail(access_.add(key.bytes.reveal(), name.kid), name.file,
                  "expected an RSA or EC private key without a passphrase, PEM or DER");
    warn_about_private_key(name.file, key);
  }
  if (!options.verification_keys.empty()) {
    const SecretBytes json = read_secret_input(options.verification_keys, {"list of keys", kMaxDocument}).bytes;
    assertion_keys_ = configured(tdf::parse_assertion_keys(json.reveal()), options.verification_keys);
  }
}

tdf::ReaderOptions TdfKeys::reader_options() const {
  tdf::ReaderOptions options;
  options.limits = limits_;
  options.verify_assertions = verify_assertions_;
  if (assertion_keys_) options.assertion_keys = &*assertion_keys_;
  return options;
}

}  // namespace millrace::cli
