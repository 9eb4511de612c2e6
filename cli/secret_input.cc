#include "secret_input.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>

#include "base/copy.h"
#include "failure.h"
#include "files.h"
#include "millrace/base64.h"

namespace millrace::cli {

namespace {

// Ten times the largest key there is, in the form that takes the most room.
constexpr SecretKind kPrivateKey{"private key", 64 * 1024};

// read_all reads a whole source into memory that is cleansed.
SecretBytes read_all(Source& source, const std::string& name, const SecretKind& kind) {
  SecretBytes buffer(16 * 1024);
  std::size_t size = 0;
  for (;;) {
    size += value_or_fail(read_full(source, buffer.fill().subspan(size)), name);
    if (size < buffer.size()) return SecretBytes::copy_of(buffer.reveal().first(size));
    if (size > kind.max_size) fail(kExitNotAuthentic, fmt::format("{}: larger than any {}", name, kind.name));
    SecretBytes larger(2 * size);
    copy_bytes(larger.fill(), buffer.reveal());
    buffer = std::move(larger);
  }
}

SecretBytes read_variable(const std::string& where) {
  const char* value = std::getenv(where.c_str() + 4);
  if (value == nullptr) fail(kExitUsage, fmt::format("{}: the environment variable is not set", where));
  const std::string_view text(value);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '{' || text[first] == '-')
    return SecretBytes::copy_of(as_bytes(text));
  // Anything else than JSON and PEM must be base64: the environment holds text.
  std::string_view digits = text.substr(first);
  digits = digits.substr(0, digits.find_last_not_of(" \t\r\n") + 1);
  SecretBytes decoded(base64_decoded_capacity(digits.size()));
  const std::size_t size = value_or_fail(base64_decode(digits, decoded.fill()), where, "expected JSON, PEM or base64");
  return SecretBytes::copy_of(decoded.reveal().first(size));
}

}  // namespace

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

SecretInput read_secret_input(const std::string& where, const SecretKind& kind) {
  if (where.starts_with("env:")) return {read_variable(where)};
  if (where.starts_with("fd:")) {
    const std::optional<std::uint64_t> number = number_in(std::string_view(where).substr(3));
    if (!number || *number > 1 << 20) fail(kExitUsage, fmt::format("{}: not a descriptor number", where));
    Fd copy(::fcntl(static_cast<int>(*number), F_DUPFD_CLOEXEC, 3));
    if (!copy.valid()) fail_with(where, Error{ErrorCode::kIo, "open", 0, errno});
    FileSource source(std::move(copy));
    return {read_all(source, where, kind)};
  }
  Input input(where);
  const std::unique_ptr<FileSource> source = input.source();
  constexpr mode_t kOthers = S_IRGRP | S_IROTH;
  return {read_all(*source, where, kind), S_ISREG(input.status().st_mode) && (input.status().st_mode & kOthers) != 0};
}

SecretInput read_private_key(const std::string& where) { return read_secret_input(where, kPrivateKey); }

void warn_about_private_key(const std::string& where, const SecretInput& key) {
  if (key.others_can_read) warn(fmt::format("{}: a private key that others can read; chmod 600 it", where));
}

std::vector<std::byte> read_file(const std::string& path, std::size_t most) {
  Input input(path);
  const std::unique_ptr<FileSource> source = input.source();
  std::vector<std::byte> bytes;
  std::size_t size = 0;
  do {
    bytes.resize(std::max<std::size_t>(16 * 1024, 2 * size));
    size += value_or_fail(read_full(*source, ByteSpan(bytes).subspan(size)), path);
    if (size > most) fail(kExitUsage, fmt::format("{}: larger than {} bytes", path, most));
  } while (size == bytes.size());
  bytes.resize(size);
  return bytes;
}

void refuse_inputs(const std::vector<std::string>& names, const std::optional<std::string>& input,
                   const std::string& output) {
  const auto from_stdin = [](const std::string& name) {
    return name == "-" || name == "/dev/stdin" || name == "fd:0" || name == "/dev/fd/0";
  };
  int readers = input && (input->empty() || from_stdin(*input)) ? 1 : 0;
  struct stat out;
  const bool replaces = ::stat(output.c_str(), &out) == 0 && S_ISREG(out.st_mode);
  for (const std::string& name : names) {
    if (from_stdin(name) && ++readers > 1)
      fail(kExitUsage, fmt::format("{}: standard input can be read for one thing only", name));
    struct stat in;
    if (replaces && ::stat(name.c_str(), &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
      fail(kExitUsage, fmt::format("{}: the output would replace {}", output, name));
  }
}

}  // namespace millrace::cli
