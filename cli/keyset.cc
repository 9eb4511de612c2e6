#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "failure.h"
#include "files.h"
#include "options.h"
#include "verbs.h"

namespace millrace::cli {

namespace {

struct KeysetOptions {
  std::string first;  // two strings: CLI11 would take a file called "[a]" for a list of words
  std::string second;
  std::vector<std::string> words;  // those that are given: the file and, where a verb takes one, the id, in any order
  KeyOptions keys;
  std::string template_name;
  std::string format;
  std::string output;
  bool force = false;
  bool json = false;
};

std::string template_names() {
  std::string names(tink::kKeyEncryptionTemplate);
  for (const tink::Template& candidate : tink::templates()) names += fmt::format(", {}", candidate.name);
  return names;
}

[[noreturn]] void fail_template(const std::string& name) {
  fail(kExitUsage, fmt::format("--template {}: unknown; one of {}", name, template_names()));
}

tink::Format format_of(const std::string& name) {
  return name == "binary" ? tink::Format::kBinary : tink::Format::kJson;
}

// parse_id reads a key id: an unsigned 32-bit decimal.
std::optional<std::uint32_t> parse_id(const std::string& text) {
  if (text.empty() || text.size() > 10 || text.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  const unsigned long long value = std::stoull(text);
  if (value > UINT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

// The keyset's file, from --keyset or the positional words.
std::string take_file(KeysetOptions& options) {
  if (!options.keys.keyset.empty()) return options.keys.keyset;
  for (auto it = options.words.begin(); it != options.words.end(); ++it) {
    // Of two words the one that is a number is the id, unless both are: then the file comes first.
    if (options.words.size() == 2 && it == options.words.begin() && parse_id(*it) && !parse_id(options.words[1]))
      continue;
    const std::string file = *it;
    options.words.erase(it);
    return file;
  }
  fail(kExitUsage, "which keyset? give FILE or --keyset FILE");
}

std::uint32_t take_id(const KeysetOptions& options) {
  if (options.words.size() != 1) fail(kExitUsage, "which key? give one ID (millrace keyset list shows them)");
  const std::optional<std::uint32_t> id = parse_id(options.words[0]);
  if (!id) fail(kExitUsage, fmt::format("{}: not a key id; ids are numbers below 2^32", options.words[0]));
  return *id;
}

void refuse_words(const KeysetOptions& options) {
  if (!options.words.empty()) fail(kExitUsage, fmt::format("{}: unexpected", options.words[0]));
}

// serialize writes a keyset in the form asked for, sealed when a kek is given.
SecretBytes serialize(const tink::Keyset& keyset, tink::Format format, const std::string& kek,
                      const std::string& associated_data) {
  if (kek.empty()) return format == tink::Format::kJson ? keyset.to_json() : keyset.to_binary();
  const tink::AesGcmKeyWrapper wrapper = load_kek(kek);
  const auto sealed = value_or_fail(keyset.seal(wrapper, as_bytes(associated_data), format), "seal");
  return SecretBytes::copy_of(sealed);
}

// emit writes a keyset to --output, or to standard output.
void emit(const SecretBytes& bytes, const KeysetOptions& options) {
  write_output(options.output, bytes.reveal(), options.force ? Overwrite::kYes : Overwrite::kNo, Privacy::kOwner);
}

bool is_json(ByteView bytes) {
  for (const std::byte b : bytes) {
    const char c = static_cast<char>(b);
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') return c == '{';
  }
  return false;
}

// EditLock makes the edits of one keyset wait for each other, so that none is lost. An edit replaces the file, so a
// lock that was waited for may be one of a file that is no longer there: then the new one is locked.
class EditLock {
 public:
  explicit EditLock(const std::string& path) {
    struct stat locked;
    struct stat named;
    do {
      fd_ = value_or_fail(open_for_reading(path), path);
      if (::fstat(fd_.get(), &locked) != 0 || !S_ISREG(locked.st_mode))
        fail(kExitUsage, fmt::format("{}: only a keyset in a file can be changed", path));
      while (::flock(fd_.get(), LOCK_EX) != 0 && errno == EINTR) {
      }
    } while (::stat(path.c_str(), &named) != 0 || named.st_ino != locked.st_ino || named.st_dev != locked.st_dev);
  }

 private:
  Fd fd_;
};

// edit changes a keyset file in place: the form, the encryption and the mode stay as they are.
void edit(const std::string& file, const KeysetOptions& options, const std::function<void(tink::Keyset&)>& change) {
  if (file == "-" || file.rfind("fd:", 0) == 0 || file.rfind("env:", 0) == 0)
    fail(kExitUsage, fmt::format("{}: only a keyset in a file can be changed", file));
  const EditLock lock(file);
  const SecretBytes before = read_keyset(file);
  const bool sealed = tink::is_encrypted_keyset(before.reveal());
  if (!sealed && !options.keys.kek.empty())
    fail(kExitUsage, fmt::format("{}: not encrypted, so --kek has no use here", file));
  tink::Keyset keyset = parse_keyset(file, before.reveal(), options.keys.kek, options.keys.kek_associated_data);
  change(keyset);
  const tink::Format format = is_json(before.reveal()) ? tink::Format::kJson : tink::Format::kBinary;
  const SecretBytes after = serialize(keyset, format, options.keys.kek, options.keys.kek_associated_data);
  write_file(file, after.reveal(), Overwrite::kYes, Privacy::kOwner);
}

void keyset_new(KeysetOptions& options) {
  const bool named = !options.words.empty() || !options.keys.keyset.empty();
  if (named && options.output.empty()) {
    options.output = take_file(options);
  } else if (!options.keys.keyset.empty()) {
    fail(kExitUsage, "give the new keyset's file with -o or --keyset, not both");
  }
  refuse_words(options);
  const tink::Template* chosen = tink::find_template(options.template_name);
  if (chosen == nullptr && options.template_name != tink::kKeyEncryptionTemplate) fail_template(options.template_name);
  const tink::Keyset keyset = value_or_fail(
      chosen != nullptr ? tink::Keyset::generate(*chosen) : tink::Keyset::generate_key_encryption(), "keyset new");
  emit(serialize(keyset, format_of(options.format), options.keys.kek, options.keys.kek_associated_data), options);
}

void print_keys(const std::vector<tink::KeyInfo>& keys, bool json) {
  if (json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const tink::KeyInfo& key : keys) {
      nlohmann::ordered_json entry = {{"id", key.id},
                                      {"status", tink::to_text(key.status)},
                                      {"primary", key.is_primary},
                                      {"template", key.template_name},
                                      {"type_url", key.type_url},
                                      {"output_prefix", tink::to_text(key.prefix)}};
      if (key.params) entry["segment_bytes"] = key.params->ciphertext_segment_size;
      list.push_back(entry);
    }
    fmt::print("{}\n", nlohmann::ordered_json{{"keys", list}}.dump());
    return;
  }
  fmt::print("{:<10}  {:<9}  {:<7}  {}\n", "ID", "STATUS", "PRIMARY", "TEMPLATE");
  for (const tink::KeyInfo& key : keys) {
    fmt::print("{:<10}  {:<9}  {:<7}  {}\n", key.id, tink::to_text(key.status), key.is_primary ? "primary" : "",
               key.template_name.empty() ? key.type_url : std::string(key.template_name));
  }
}

void keyset_list(KeysetOptions& options) {
  const std::string file = take_file(options);
  refuse_words(options);
  const SecretBytes bytes = read_keyset(file);
  if (tink::is_encrypted_keyset(bytes.reveal()) && options.keys.kek.empty()) {
    const auto info = value_or_fail(tink::read_keyset_info(bytes.reveal()), file);
    if (!info) fail(kExitUsage, fmt::format("{}: encrypted, and without a description; give --kek FILE", file));
    warn(fmt::format("{}: encrypted; this description is not authenticated (--kek FILE shows the real one)", file));
    print_keys(info->keys, options.json);
    return;
  }
  print_keys(parse_keyset(file, bytes.reveal(), options.keys.kek, options.keys.kek_associated_data).info(),
             options.json);
}

void keyset_add(KeysetOptions& options) {
  const std::string file = take_file(options);
  refuse_words(options);
  const tink::Template* chosen = tink::find_template(options.template_name);
  if (chosen == nullptr && options.template_name != tink::kKeyEncryptionTemplate) fail_template(options.template_name);
  std::uint32_t id = 0;
  edit(file, options, [&](tink::Keyset& keyset) {
    id = value_or_fail(chosen != nullptr ? keyset.add(*chosen) : keyset.add_key_encryption(), file);
  });
  fmt::print("{}\n", id);  // for scripts: keyset promote FILE "$(keyset add ...)"
}

void keyset_change(KeysetOptions& options, Status (tink::Keyset::*change)(std::uint32_t)) {
  const std::string file = take_file(options);
  const std::uint32_t id = take_id(options);
  edit(file, options,
       [&](tink::Keyset& keyset) { check_or_fail((keyset.*change)(id), fmt::format("{}: key {}", file, id)); });
}

// convert, seal and unseal read one form and write another.
void keyset_rewrite(KeysetOptions& options, const std::string& open_with, const std::string& seal_with) {
  const std::string file = take_file(options);
  refuse_words(options);
  const SecretBytes before = read_keyset(file);
  const std::string& associated_data = options.keys.kek_associated_data;
  const tink::Keyset keyset = parse_keyset(file, before.reveal(), open_with, associated_data);
  const bool json = options.format.empty() ? is_json(before.reveal()) : options.format == "json";
  const SecretBytes after =
      serialize(keyset, json ? tink::Format::kJson : tink::Format::kBinary, seal_with, associated_data);
  emit(after, options);
}

void keyset_convert(KeysetOptions& options) { keyset_rewrite(options, options.keys.kek, options.keys.kek); }
void keyset_seal(KeysetOptions& options) { keyset_rewrite(options, {}, options.keys.kek); }
void keyset_unseal(KeysetOptions& options) { keyset_rewrite(options, options.keys.kek, {}); }

}  // namespace

void add_keyset(CLI::App& app) {
  CLI::App* group = app.add_subcommand("keyset", "Make and manage Tink keysets");
  group->require_subcommand(1);
  group->footer(
      "Rotation in two steps: add the new key everywhere, then promote it; later disable, later delete the old one.\n"
      "Example:\n  millrace keyset new --template AES256_GCM_HKDF_1MB -o keys.json\n"
      "  millrace keyset list keys.json\n"
      "  millrace keyset promote keys.json $(millrace keyset add keys.json --template AES256_GCM_HKDF_1MB)\n"
      "  millrace keyset new --template AES256_GCM -o kek.json\n"
      "  millrace keyset seal keys.json --kek kek.json -o keys.sealed.json");

  enum Takes : unsigned { kTemplate = 1, kId = 2, kOutput = 4, kFormat = 8, kKek = 16, kJson = 32 };
  const auto add = [&](const char* name, const char* description, unsigned takes, const std::string& example,
                       auto action) {
    CLI::App* verb = group->add_subcommand(name, description);
    auto options = std::make_shared<KeysetOptions>();
    const CLI::Option* file = verb->add_option("FILE", options->first, "the keyset")->check(not_empty());
    const CLI::Option* id = (takes & kId) != 0
                                ? verb->add_option("ID", options->second, "the id of a key in it")->check(not_empty())
                                : nullptr;
    verb->add_option("--keyset", options->keys.keyset, "the keyset, instead of FILE")
        ->type_name("FILE")
        ->check(not_empty());
    if ((takes & kTemplate) != 0) {
      verb->add_option("--template", options->template_name, "kind of key: " + template_names())
          ->type_name("NAME")
          ->required();
    }
    CLI::Option* kek = verb->add_option("--kek", options->keys.kek, "the keyset that encrypts this one")
                           ->type_name("FILE")
                           ->check(not_empty());
    if ((takes & kKek) != 0) kek->required();
    verb->add_option("--kek-associated-data", options->keys.kek_associated_data, "associated data of that encryption")
        ->type_name("TEXT");
    if ((takes & kFormat) != 0) {
      CLI::Option* format = verb->add_option("--to,--format", options->format, "json or binary")
                                ->check(CLI::IsMember({"json", "binary"}));
      if (std::string_view(name) == "convert") format->required();
    }
    if ((takes & kOutput) != 0) {
      verb->add_option("--output,-o", options->output, "output file, mode 0600; - or nothing: standard output")
          ->type_name("OUT")
          ->check(not_empty());
      verb->add_flag("--force,-f", options->force, "replace an existing output file");
    }
    if ((takes & kJson) != 0) verb->add_flag("--json", options->json, "print a JSON object");
    verb->footer("Example:\n  millrace keyset " + example);
    verb->callback([options, action, file, id] {
      if (file->count() > 0) options->words.push_back(options->first);
      if (id != nullptr && id->count() > 0) options->words.push_back(options->second);
      action(*options);
    });
  };
  const auto change = [](Status (tink::Keyset::*what)(std::uint32_t)) {
    return [what](KeysetOptions& options) { keyset_change(options, what); };
  };
  add("new", "Make a keyset with one fresh key", kTemplate | kOutput | kFormat,
      "new --template AES256_GCM_HKDF_1MB -o keys.json", keyset_new);
  add("list", "Show ids, statuses and templates; never key material", kJson, "list keys.json", keyset_list);
  add("add", "Add a fresh key, not primary, and print its id", kTemplate,
      "add keys.json --template AES256_GCM_HKDF_1MB", keyset_add);
  add("promote", "Make a key the one that encrypts", kId, "promote keys.json 1234567", change(&tink::Keyset::promote));
  add("enable", "Use a disabled key again", kId, "enable keys.json 1234567", change(&tink::Keyset::enable));
  add("disable", "Keep a key but do not use it", kId, "disable keys.json 1234567", change(&tink::Keyset::disable));
  add("delete", "Remove a key for good", kId, "delete keys.json 1234567", change(&tink::Keyset::remove));
  add("convert", "Write a keyset in another form", kFormat | kOutput, "convert keys.json --to binary -o keys.bin",
      keyset_convert);
  add("seal", "Encrypt a keyset under another", kKek | kFormat | kOutput,
      "seal keys.json --kek kek.json -o keys.sealed.json", keyset_seal);
  add("unseal", "Decrypt an encrypted keyset", kKek | kFormat | kOutput,
      "unseal keys.sealed.json --kek kek.json -o keys.json", keyset_unseal);
}

}  // namespace millrace::cli
