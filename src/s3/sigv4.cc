#include "millrace/sigv4.h"

#include <algorithm>
#include <array>

#include "base/copy.h"
#include "crypto/hash.h"
#include "crypto/hmac.h"
#include "encoding/hex.h"

namespace millrace::sigv4 {

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kTerminator = "aws4_request";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_unreserved(char c) {
  const char l = lower(c);
  return is_digit(c) || (l >= 'a' && l <= 'z') || c == '-' || c == '.' || c == '_' || c == '~';
}

// RFC 9110, section 5.6.2: the characters of methods and field names.
bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+^`|";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_unreserved(c) || kOthers.find(c) != std::string_view::npos;
  });
}

std::string encode(std::string_view text, bool keep_slash) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c) || (keep_slash && c == '/')) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return result;
}

// without_dots removes empty segments, "." and "..", as RFC 3986, section 5.2.4, does, and doubled slashes.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> kept;
  bool ends_in_slash = true;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view segment = path.substr(start, end - start);
    ends_in_slash = segment.empty() || segment == "." || segment == "..";
    if (!ends_in_slash) kept.push_back(segment);
    if (segment == ".." && !kept.empty()) kept.pop_back();
    start = end + 1;
  }
  std::string result;
  for (const std::string_view segment : kept) (result += '/') += segment;
  if (ends_in_slash) result += '/';
  return result;
}

// one_line trims a header's value and makes one space of each run of blanks, line breaks of old folding included.
std::string one_line(std::string_view value) {
  std::string result;
  bool blank = false;
  for (const char c : value) {
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      blank = true;
      continue;
    }
    if (blank && !result.empty()) result += ' ';
    blank = false;
    result += c;
  }
  return result;
}

// canonical_headers: lower-case names, sorted; the values of equal names joined with commas.
std::vector<Header> canonical_headers(std::span<const Field> headers) {
  std::vector<Header> all;
  all.reserve(headers.size());
  for (const Field& header : headers) all.push_back({lower(header.name), one_line(header.value)});
  std::stable_sort(all.begin(), all.end(), [](const Header& a, const Header& b) { return a.name < b.name; });
  std::vector<Header> joined;
  for (Header& header : all) {
    if (!joined.empty() && joined.back().name == header.name) {
      (joined.back().value += ',') += header.value;
    } else {
      joined.push_back(std::move(header));
    }
  }
  return joined;
}

std::string names_of(const std::vector<Header>& headers) {
  std::string names;
  for (const Header& header : headers) {
    if (!names.empty()) names += ';';
    names += header.name;
  }
  return names;
}

std::vector<Field> only_signed(std::span<const Field> headers) {
  std::vector<Field> result;
  std::copy_if(headers.begin(), headers.end(), std::back_inserter(result),
               [](const Field& header) { return is_signed(header.name); });
  return result;
}

// complete fills in the canonical request of `result`, what is to be signed, and the signature.
Status complete(SignedRequest& result, const Request& request, const Credentials& credentials, const Scope& scope) {
  MR_TRY(scope.check());
  MR_TRY(result.canonical_request, canonical_request(request));
  MR_TRY(result.string_to_sign, string_to_sign(scope, result.canonical_request));
  MR_TRY(const SecretBytes key, signing_key(credentials.secret_access_key.reveal(), scope));
  MR_TRY(result.signature, signature(key.reveal(), result.string_to_sign));
  return Ok{};
}

}  // namespace

std::string Scope::text() const {
  std::string result(date());
  for (const std::string_view part : {std::string_view(region), std::string_view(service), kTerminator}) {
    (result += '/') += part;
  }
  return result;
}

Status Scope::check() const {
  constexpr std::string_view kForm = "00000000T000000Z";
  const bool dated = std::equal(date_time.begin(), date_time.end(), kForm.begin(), kForm.end(),
                                [](char c, char form) { return form == '0' ? is_digit(c) : c == form; });
  if (!dated) return Error{ErrorCode::kInvalidArgument, "SigV4: date"};
  if (!is_token(region)) return Error{ErrorCode::kInvalidArgument, "SigV4: region"};
  if (!is_token(service)) return Error{ErrorCode::kInvalidArgument, "SigV4: service"};
  return Ok{};
}

std::string percent_encode(std::string_view text) { return encode(text, false); }

std::string encode_path(std::string_view path, PathRule rule) {
  if (path.empty()) return "/";
  return encode(rule == PathRule::kNormalized ? without_dots(path) : path, true);
}

std::string encode_query(std::span<const Field> query) {
  std::vector<Header> encoded;
  encoded.reserve(query.size());
  for (const Field& field : query) encoded.push_back({percent_encode(field.name), percent_encode(field.value)});
  std::sort(encoded.begin(), encoded.end(),
            [](const Header& a, const Header& b) { return a.name != b.name ? a.name < b.name : a.value < b.value; });
  std::string result;
  for (const Header& field : encoded) {
    if (!result.empty()) result += '&';
    ((result += field.name) += '=') += field.value;
  }
  return result;
}

std::string host_value(std::string_view host, std::uint16_t port, bool tls) {
  const bool bare_ipv6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
  std::string result = bare_ipv6 ? '[' + lower(host) + ']' : lower(host);
  if (port != (tls ? 443 : 80)) (result += ':') += std::to_string(port);
  return result;
}

bool is_signed(std::string_view header_name) {
  // Hop-by-hop headers (RFC 9110, section 7.6.1), those that HTTP libraries add late, and accept-encoding, which
  // gateways rewrite.
  constexpr std::string_view kLeftOut[] = {
      "accept-encoding", "authorization", "connection",        "expect",         "keep-alive", "te", "trailer",
      "upgrade",         "user-agent",    "transfer-encoding", "x-amzn-trace-id"};
  const std::string name = lower(header_name);
  return std::find(std::begin(kLeftOut), std::end(kLeftOut), name) == std::end(kLeftOut) && !name.starts_with("proxy-");
}

std::string signed_header_names(std::span<const Field> headers) { return names_of(canonical_headers(headers)); }

Result<std::string> canonical_request(const Request& request) {
  if (!is_token(request.method)) return Error{ErrorCode::kInvalidArgument, "SigV4: method"};
  if (!is_token(request.payload_hash)) return Error{ErrorCode::kInvalidArgument, "SigV4: payload hash"};
  for (const Field& header : request.headers) {
    if (!is_token(header.name)) return Error{ErrorCode::kInvalidArgument, "SigV4: header name"};
  }
  const std::vector<Header> headers = canonical_headers(request.headers);
  std::string text(request.method);
  (text += '\n') += encode_path(request.path, request.path_rule);
  (text += '\n') += encode_query(request.query);
  text += '\n';
  for (const Header& header : headers) (((text += header.name) += ':') += header.value) += '\n';
  (text += '\n') += names_of(headers);
  (text += '\n') += request.payload_hash;
  return text;
}

Result<std::string> string_to_sign(const Scope& scope, std::string_view canonical_request) {
  MR_TRY(scope.check());
  MR_TRY(Hash sha256, Hash::create(HashAlgorithm::kSha256));
  sha256.update(as_bytes(canonical_request));
  std::array<std::byte, 32> digest;
  MR_TRY(sha256.finish(digest));
  std::string text(kAlgorithm);
  (text += '\n') += scope.date_time;
  (text += '\n') += scope.text();
  (text += '\n') += hex_encode(digest);
  return text;
}

Result<SecretBytes> signing_key(ByteView secret_access_key, const Scope& scope) {
  MR_TRY(scope.check());
  constexpr std::string_view kPrefix = "AWS4";
  SecretBytes key(kPrefix.size() + secret_access_key.size());
  copy_bytes(key.fill(), as_bytes(kPrefix));
  copy_bytes(key.fill().subspan(kPrefix.size()), secret_access_key);
  for (const std::string_view part :
       {scope.date(), std::string_view(scope.region), std::string_view(scope.service), kTerminator}) {
    MR_TRY(const Hmac hmac, Hmac::create(HashAlgorithm::kSha256, key.reveal()));
    SecretBytes next(32);
    MR_TRY(hmac.compute(next.fill(), as_bytes(part)));
    key = std::move(next);
  }
  return key;
}

Result<std::string> signature(ByteView signing_key, std::string_view string_to_sign) {
  MR_TRY(const Hmac hmac, Hmac::create(HashAlgorithm::kSha256, signing_key));
  std::array<std::byte, 32> mac;
  MR_TRY(hmac.compute(mac, as_bytes(string_to_sign)));
  return hex_encode(mac);
}

Result<SignedRequest> sign_headers(const Request& request, const Credentials& credentials, const Scope& scope,
                                   const SigningRules& rules) {
  SignedRequest result;
  result.headers.push_back({"x-amz-date", scope.date_time});
  if (rules.content_hash == ContentHash::kSent)
    result.headers.push_back({"x-amz-content-sha256", std::string(request.payload_hash)});
  const Header token = {"x-amz-security-token", credentials.session_token};
  const bool has_token = !token.value.empty();
  if (has_token && rules.token == TokenRule::kSigned) result.headers.push_back(token);

  std::vector<Field> headers = only_signed(request.headers);
  for (const Header& added : result.headers) headers.push_back({added.name, added.value});
  const std::string names = signed_header_names(headers);
  Request full = request;
  full.headers = headers;
  MR_TRY(complete(result, full, credentials, scope));

  // From here on `headers` may hang in the air: it refers to those of the result, which now grow.
  if (has_token && rules.token == TokenRule::kAddedAfterwards) result.headers.push_back(token);
  std::string authorization(kAlgorithm);
  ((authorization += " Credential=") += credentials.access_key_id) += '/';
  (authorization += scope.text()) += ", SignedHeaders=";
  (authorization += names) += ", Signature=";
  result.headers.push_back({"authorization", authorization += result.signature});
  return result;
}

Result<SignedRequest> presign(const Request& request, const Credentials& credentials, const Scope& scope,
                              std::uint32_t seconds, const SigningRules& rules) {
  if (seconds == 0 || seconds > kMaxPresignSeconds) return Error{ErrorCode::kInvalidArgument, "SigV4: expiry"};
  const std::vector<Field> headers = only_signed(request.headers);
  const std::string names = signed_header_names(headers);
  const std::string credential = credentials.access_key_id + '/' + scope.text();
  const std::string expires = std::to_string(seconds);
  std::vector<Field> query(request.query.begin(), request.query.end());
  query.insert(query.end(), {{"X-Amz-Algorithm", kAlgorithm},
                             {"X-Amz-Credential", credential},
                             {"X-Amz-Date", scope.date_time},
                             {"X-Amz-Expires", expires},
                             {"X-Amz-SignedHeaders", names}});
  const bool has_token = !credentials.session_token.empty();
  const Field token = {"X-Amz-Security-Token", credentials.session_token};
  if (has_token && rules.token == TokenRule::kSigned) query.push_back(token);

  SignedRequest result;
  Request full = request;
  full.headers = headers;
  full.query = query;
  MR_TRY(complete(result, full, credentials, scope));
  result.query = encode_query(query);
  if (has_token && rules.token == TokenRule::kAddedAfterwards) (result.query += '&') += encode_query({&token, 1});
  (result.query += "&X-Amz-Signature=") += result.signature;
  return result;
}

}  // namespace millrace::sigv4
