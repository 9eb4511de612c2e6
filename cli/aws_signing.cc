#include "aws_signing.h"

#include <fmt/core.h>

#include <cstdlib>
#include <ctime>

#include "failure.h"
#include "files.h"
#include "options.h"

namespace millrace::cli {

namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm utc;
  ::gmtime_r(&time, &utc);
  char text[sizeof "20130524T000000Z"];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc);
  return text;
}

std::string percent_decode(std::string_view text, const std::string& url) {
  const auto digit = [&](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    fail(kExitUsage, fmt::format("{}: a % without two hex digits", url));
  };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (text.size() - i < 3) fail(kExitUsage, fmt::format("{}: a % without two hex digits", url));
    result += static_cast<char>(16 * digit(text[i + 1]) + digit(text[i + 2]));
    i += 2;
  }
  return result;
}

}  // namespace

void AwsSigningOptions::add_to(CLI::App& verb) {
  verb.add_option("--sign", seed, "sign the chunks; SIGNATURE is the one of the request's Authorization header")
      ->type_name("SIGNATURE")
      ->check(not_empty());
  verb.add_option("--region", region, "of the signature; default: AWS_REGION, then AWS_DEFAULT_REGION")
      ->check(not_empty());
  verb.add_option("--date", date, "x-amz-date of the request: YYYYMMDDTHHMMSSZ")->check(not_empty());
  verb.add_option("--secret-key-file", secret_key_file, "the secret access key; default: AWS_SECRET_ACCESS_KEY")
      ->type_name("FILE")
      ->check(not_empty());
}

SecretBytes AwsSigningOptions::secret() const {
  if (secret_key_file.empty()) {
    const char* const value = std::getenv("AWS_SECRET_ACCESS_KEY");
    if (value == nullptr || *value == '\0')
      fail(kExitUsage, "no secret access key: set AWS_SECRET_ACCESS_KEY or give --secret-key-file FILE");
    return SecretBytes::copy_of(as_bytes(value));
  }
  Input input(secret_key_file);
  const std::unique_ptr<FileSource> source = input.source();
  SecretBytes room(4096);
  const std::size_t size = value_or_fail(read_full(*source, room.fill()), input.name());
  std::string_view text = as_text(room.reveal().first(size));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (text.empty() || size == room.size()) fail(kExitUsage, fmt::format("{}: not a secret access key", input.name()));
  return SecretBytes::copy_of(as_bytes(text));
}

sigv4::Scope AwsSigningOptions::scope() const {
  sigv4::Scope scope;
  scope.date_time = date;
  scope.region = region;
  if (scope.region.empty()) scope.region = environment("AWS_REGION");
  if (scope.region.empty()) scope.region = environment("AWS_DEFAULT_REGION");
  if (scope.region.empty()) fail(kExitUsage, "no region to sign for: set AWS_REGION or give --region");
  if (scope.date_time.empty()) fail(kExitUsage, "--sign needs --date, the x-amz-date of the signed request");
  if (!scope.check())
    fail(kExitUsage, fmt::format("--date {}, --region {}: not of the form 20130524T000000Z, us-east-1", scope.date_time,
                                 scope.region));
  return scope;
}

std::optional<aws_chunked::ChunkSigning> AwsSigningOptions::signing() const {
  if (seed.empty()) return std::nullopt;
  aws_chunked::ChunkSigning signing;
  signing.scope = scope();
  signing.key = value_or_fail(sigv4::signing_key(secret().reveal(), signing.scope), "--sign");
  signing.seed_signature = seed;
  return signing;
}

PutUrl parse_put_url(const std::string& url) {
  PutUrl result;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    result.tls = false;
  } else {
    fail(kExitUsage, fmt::format("{}: expected http:// or https://", url));
  }
  const std::size_t slash = rest.find('/');
  std::string_view authority = rest.substr(0, slash);
  if (slash == std::string_view::npos || authority.empty() || authority.find('@') != std::string_view::npos)
    fail(kExitUsage, fmt::format("{}: expected http://HOST/KEY", url));
  rest.remove_prefix(slash);
  std::uint16_t port = result.tls ? 443 : 80;
  const std::size_t colon = authority.rfind(':');
  if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
    const std::string digits(authority.substr(colon + 1));
    const unsigned long number = digits.size() > 5 || digits.find_first_not_of("0123456789") != std::string::npos
                                     ? 0
                                     : std::strtoul(digits.c_str(), nullptr, 10);
    if (number == 0 || number > 65535) fail(kExitUsage, fmt::format("{}: not a port", url));
    port = static_cast<std::uint16_t>(number);
    authority = authority.substr(0, colon);
  }
  result.host = sigv4::host_value(authority, port, result.tls);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t mark = std::min(rest.find('?'), rest.size());
  result.path = percent_decode(rest.substr(0, mark), url);
  for (std::size_t at = mark + 1; at < rest.size();) {
    const std::size_t end = std::min(rest.find('&', at), rest.size());
    const std::string_view pair = rest.substr(at, end - at);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string_view value = equals < pair.size() ? pair.substr(equals + 1) : std::string_view();
    result.query.push_back({percent_decode(pair.substr(0, equals), url), percent_decode(value, url)});
    at = end + 1;
  }
  return result;
}

aws_chunked::ChunkSigning sign_put(const PutUrl& url, AwsSigningOptions options, std::string_view content_sha256,
                                   std::vector<sigv4::Header>& headers) {
  if (options.date.empty()) options.date = now();
  sigv4::Credentials credentials;
  credentials.access_key_id = environment("AWS_ACCESS_KEY_ID");
  if (credentials.access_key_id.empty()) fail(kExitUsage, "--put: AWS_ACCESS_KEY_ID is not set");
  credentials.session_token = environment("AWS_SESSION_TOKEN");
  credentials.secret_access_key = options.secret();
  aws_chunked::ChunkSigning signing;
  signing.scope = options.scope();

  const auto fields_of = [](const std::vector<sigv4::Header>& owned) {
    std::vector<sigv4::Field> fields;
    for (const sigv4::Header& header : owned) fields.push_back({header.name, header.value});
    return fields;
  };
  const std::vector<sigv4::Field> query = fields_of(url.query);
  std::vector<sigv4::Field> signed_headers = fields_of(headers);
  signed_headers.push_back({"host", url.host});
  const sigv4::Request request = {"PUT", url.path, query, signed_headers, content_sha256};
  sigv4::SignedRequest made = value_or_fail(
      sigv4::sign_headers(request, credentials, signing.scope, {.content_hash = sigv4::ContentHash::kNotSent}),
      "--put");
  signing.key = value_or_fail(sigv4::signing_key(credentials.secret_access_key.reveal(), signing.scope), "--put");
  signing.seed_signature = made.signature;
  for (sigv4::Header& header : made.headers) headers.push_back(std::move(header));
  return signing;
}

}  // namespace millrace::cli
