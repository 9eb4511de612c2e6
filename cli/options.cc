#include "options.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/copy.h"
#include "failure.h"
#include "millrace/base64.h"

namespace millrace::cli {

namespace {

// number_in parses all of `text` as an unsigned decimal number.
std::optional<std::uint64_t> number_in(std::string_view text) {
  if (text.empty() || text.size() > 20) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (UINT64_MAX - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

// read_all reads a whole source, at most kMaxKeysetSize bytes, into memory that is cleansed.
SecretBytes read_all(Source& source, const std::string& name) {
  SecretBytes buffer(16 * 1024);
  std::size_t size = 0;
  for (;;) {
    size += value_or_fail(read_full(source, buffer.fill().subspan(size)), name);
    if (size < buffer.size()) return SecretBytes::copy_of(buffer.reveal().first(size));
    if (size > tink::kMaxKeysetSize) fail(kExitNotAuthentic, fmt::format("{}: larger than any keyset", name));
    SecretBytes larger(2 * size);
    copy_bytes(larger.fill(), buffer.reveal());
    buffer = std::move(larger);
  }
}

}  // namespace

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) { return text.empty() ? std::string("the argument is empty") : std::string(); }, "");
}

void KeyOptions::add_to(CLI::App& verb, bool required) {
  CLI::Option* option =
      verb.add_option("--keyset", keyset, "Tink keyset: FILE, fd:N or env:NAME")->type_name("FILE")->check(not_empty());
  if (required) option->required();
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

SecretBytes read_secret(const std::string& where) {
  if (where.rfind("env:", 0) == 0) {
    const char* value = std::getenv(where.c_str() + 4);
    if (value == nullptr) fail(kExitUsage, fmt::format("{}: the environment variable is not set", where));
    const std::string_view text(value);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] == '{') return SecretBytes::copy_of(as_bytes(text));
    // Anything else than JSON must be base64: the environment holds text.
    std::string_view digits = text.substr(first);
    digits = digits.substr(0, digits.find_last_not_of(" \t\r\n") + 1);
    SecretBytes decoded(base64_decoded_capacity(digits.size()));
    const std::size_t size = value_or_fail(base64_decode(digits, decoded.fill()), where, "expected JSON or base64");
    return SecretBytes::copy_of(decoded.reveal().first(size));
  }
  if (where.rfind("fd:", 0) == 0) {
    const std::optional<std::uint64_t> number = number_in(std::string_view(where).substr(3));
    if (!number || *number > 1 << 20) fail(kExitUsage, fmt::format("{}: not a descriptor number", where));
    Fd copy(::fcntl(static_cast<int>(*number), F_DUPFD_CLOEXEC, 3));
    if (!copy.valid()) fail_with(where, Error{ErrorCode::kIo, "open", 0, errno});
    FileSource source(std::move(copy));
    return read_all(source, where);
  }
  Input input(where);
  const std::unique_ptr<FileSource> source = input.source();
  SecretBytes bytes = read_all(*source, where);
  constexpr mode_t kOthers = S_IRGRP | S_IROTH;
  if (S_ISREG(input.status().st_mode) && (input.status().st_mode & kOthers) != 0 &&
      !tink::is_encrypted_keyset(bytes.reveal())) {
    warn(fmt::format("{}: a cleartext keyset that others can read; chmod 600 it", where));
  }
  return bytes;
}

tink::AesGcmKeyWrapper load_kek(const std::string& kek) {
  const SecretBytes bytes = read_secret(kek);
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
  const SecretBytes bytes = read_secret(keyset);
  return parse_keyset(keyset, bytes.reveal(), kek, kek_associated_data);
}

tink::StreamingAead KeyOptions::streaming() const {
  const tink::Keyset keys = load();
  return value_or_fail(tink::StreamingAead::create(keys), keyset, "the keyset must hold streaming keys");
}

void KeyOptions::check_against(const TransferOptions& transfer) const {
  const auto from_stdin = [](const std::string& name) {
    return name == "-" || name == "/dev/stdin" || name == "fd:0" || name == "/dev/fd/0";
  };
  int readers = transfer.producer.empty() && (transfer.input.empty() || from_stdin(transfer.input)) ? 1 : 0;
  struct stat out;
  const bool replaces = ::stat(transfer.output.c_str(), &out) == 0 && S_ISREG(out.st_mode);
  for (const std::string* name : {&keyset, &kek, &associated_data_file}) {
    if (from_stdin(*name) && ++readers > 1)
      fail(kExitUsage, fmt::format("{}: standard input can be read for one thing only", *name));
    struct stat in;
    if (replaces && ::stat(name->c_str(), &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
      fail(kExitUsage, fmt::format("{}: the output would replace {}", transfer.output, *name));
  }
}

std::vector<std::byte> KeyOptions::read_associated_data() const {
  if (associated_data_file.empty()) {
    const ByteView bytes = as_bytes(associated_data);
    return {bytes.begin(), bytes.end()};
  }
  Input input(associated_data_file);
  const std::unique_ptr<FileSource> source = input.source();
  MemorySink sink;
  value_or_fail(pump(*source, sink), associated_data_file);
  return {sink.bytes().begin(), sink.bytes().end()};
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
    const nlohmann::ordered_json object = {
        {"operation", report.operation}, {"bytes", report.bytes},     {"output_bytes", report.output_bytes},
        {"segments", report.segments},   {"key_id", report.key_id},   {"checksum", nullptr},
        {"verified", report.verified},   {"seconds", report.seconds}, {"bytes_per_second", rate}};
    if (data_on_stdout) {
      write_stderr(object.dump() + '\n');
    } else {
      fmt::print("{}\n", object.dump());
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
