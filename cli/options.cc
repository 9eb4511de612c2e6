#include "options.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "failure.h"
#include "secret_input.h"

namespace millrace::cli {

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? std::string("the argument is empty") : std::string(); }, "");
}

void KeyOptions::add_to(CLI::App& verb) {
  verb.add_option("--keyset", keyset, "Tink keyset: FILE, fd:N or env:NAME")->type_name("FILE")->check(not_empty());
  CLI::Option* text =
      verb.add_option("--associated-data", associated_data, "authenticated with the stream, not stored in it")
          ->type_name("TEXT");
  verb.add_option("--associated-data-file", associated_data_file, "the same, from a file")
      ->type_name("FILE")
      ->check(not_empty())
      ->excludes(text);
  add_kek_to(verb);
}

void KeyOptions::add_kek_to(CLI::App& verb) {
  verb.add_option("--kek", kek, "the keyset is encrypted: the keyset that opens it, FILE, fd:N or env:NAME")
      ->type_name("FILE")
      ->check(not_empty());
  verb.add_option("--kek-associated-data", kek_associated_data, "associated data of the encrypted keyset")
      ->type_name("TEXT");
}

SecretBytes read_keyset(const std::string& where) {
  SecretInput keyset = read_secret_input(where, {"keyset", tink::kMaxKeysetSize});
  if (keyset.others_can_read && !tink::is_encrypted_keyset(keyset.bytes.reveal()))
    warn(fmt::format("{}: a cleartext keyset that others can read; chmod 600 it", where));
  return std::move(keyset.bytes);
}

tink::AesGcmKeyWrapper load_kek(const std::string& kek) {
  const SecretBytes bytes = read_keyset(kek);
  if (tink::is_encrypted_keyset(bytes.reveal()))
    fail(kExitUsage, fmt::format("{}: --kek must be a cleartext keyset", kek));
  const tink::Keyset keyset = value_or_fail(tink::Keyset::parse(bytes.reveal()), kek);
  return value_or_fail(tink::AesGcmKeyWrapper::create(keyset), kek,
                       "--kek takes an AES-GCM keyset (keyset new --template AES256_GCM)");
}

tink::Keyset parse_keyset(const std::string& name, ByteView bytes, const std::string& kek,
                          const std::string& kek_associated_data) {
  if (!tink::is_encrypted_keyset(bytes)) return value_or_fail(tink::Keyset::parse(bytes), name);
  if (kek.empty())
    fail(kExitUsage, fmt::format("{}: the keyset is encrypted; give the key that opens it with --kek FILE", name));
  const tink::AesGcmKeyWrapper wrapper = load_kek(kek);
  return value_or_fail(tink::Keyset::unseal(bytes, wrapper, as_bytes(kek_associated_data)), name,
                       "wrong --kek, or an altered file");
}

tink::Keyset KeyOptions::load() const {
  const SecretBytes bytes = read_keyset(keyset);
  return parse_keyset(keyset, bytes.reveal(), kek, kek_associated_data);
}

tink::StreamingAead KeyOptions::streaming() const {
  const tink::Keyset keys = load();
  return value_or_fail(tink::StreamingAead::create(keys), keyset, "the keyset must hold streaming keys");
}

std::vector<std::byte> KeyOptions::read_associated_data() const {
  if (!associated_data_file.empty()) return read_file(associated_data_file, SIZE_MAX);
  const ByteView bytes = as_bytes(associated_data);
  return {bytes.begin(), bytes.end()};
}

void ReportOptions::add_to(CLI::App& verb) {
  verb.add_flag("--quiet,-q", quiet, "no progress, no summary");
  verb.add_flag("--json", json, "print the result as a JSON object");
  verb.add_option("--progress", progress, "auto (when stderr is a terminal), lines or none")
      ->check(CLI::IsMember({"auto", "lines", "none"}));
}

ProgressStyle ReportOptions::style() const {
  if (quiet || progress == "none") return ProgressStyle::kNone;
  if (progress == "lines") return ProgressStyle::kLines;
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::strcmp(term, "dumb") == 0;
  return ::isatty(STDERR_FILENO) && !dumb ? ProgressStyle::kTerminal : ProgressStyle::kNone;
}

void TransferOptions::add_to(CLI::App& verb, bool with_output) {
  verb.add_option("IN", input, "input file; - or nothing: standard input")->check(not_empty());
  if (with_output) {
    verb.add_option("--output,-o", output, "output file, made complete or not at all; - or nothing: standard output")
        ->type_name("OUT")
        ->check(not_empty());
    verb.add_flag("--force,-f", force, "replace an existing output file");
    verb.add_flag("--fsync", sync, "return only when the output has reached the disk");
  }
  verb.add_option("--threads", threads, "worker threads; default: all cores")
      ->type_name("N")
      ->check(CLI::Range(1U, 1024U));
  verb.add_option("--producer", producer, "run CMD and take its output as the input; fail if it fails")
      ->type_name("CMD")
      ->check(not_empty());
}

unsigned TransferOptions::thread_count() const {
  return threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

void TransferOptions::check_against(const std::vector<std::string>& files) const {
  refuse_inputs(files, producer.empty() ? std::optional(input) : std::nullopt, output);
}

OutputOptions TransferOptions::output_options(Content content) const {
  OutputOptions options;
  options.overwrite = force ? Overwrite::kYes : Overwrite::kNo;
  options.content = content;
  // What was secret enough to encrypt is not made readable to everybody by decrypting it.
  options.privacy = content == Content::kText ? Privacy::kOwner : Privacy::kShared;
  options.sync = sync;
  return options;
}

void print_report(const Report& report, const ReportOptions& options, bool data_on_stdout) {
  const double rate = report.seconds > 0 ? static_cast<double>(report.bytes) / report.seconds : 0;
  if (options.json) {
    nlohmann::ordered_json key;  // null unless there is one
    if (!report.kid.empty()) {
      key = report.kid;
    } else if (report.key_id) {
      key = *report.key_id;
    }
    nlohmann::ordered_json object = {{"operation", report.operation},
                                     {"bytes", report.bytes},
                                     {"output_bytes", report.output_bytes},
                                     {"segments", report.segments},
                                     {"key_id", key},
                                     {"checksum", nullptr},
                                     {"verified", report.verified},
                                     {"seconds", report.seconds},
                                     {"bytes_per_second", rate}};
    if (!report.mime_type.empty()) object["mime_type"] = report.mime_type;
    // A kid comes from a file and may be no text.
    const std::string text = object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
    if (data_on_stdout) {
      write_stderr(text);
    } else {
      fmt::print("{}", text);
    }
  } else if (options.style() != ProgressStyle::kNone) {
    write_stderr(fmt::format("{}: {} in {:.2f} s, {}/s\n", report.operation,
                             size_text(static_cast<double>(report.bytes)), report.seconds, size_text(rate)));
  }
}

void ByteRange::resolve(std::uint64_t size, std::uint64_t& from, std::uint64_t& to) const {
  if (!first) {
    from = size - std::min(size, *last);
    to = size;
    return;
  }
  if (*first > size || (*first == size && size > 0 && last)) {
    fail(kExitUsage, fmt::format("--range: starts at {}, but the plaintext has {} bytes", *first, size));
  }
  from = *first;
  to = last ? std::min(size, *last == UINT64_MAX ? size : *last + 1) : size;
}

ByteRange parse_range(const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto refuse = [&]() { fail(kExitUsage, fmt::format("--range {}: expected A-B, A- or -N", text)); };
  if (dash == std::string::npos) refuse();
  const std::string_view left = std::string_view(text).substr(0, dash);
  const std::string_view right = std::string_view(text).substr(dash + 1);
  ByteRange range;
  if (!left.empty() && !(range.first = number_in(left))) refuse();
  if (!right.empty() && !(range.last = number_in(right))) refuse();
  if (!range.first && !range.last) refuse();
  if (range.first && range.last && *range.first > *range.last) refuse();
  return range;
}

}  // namespace millrace::cli
