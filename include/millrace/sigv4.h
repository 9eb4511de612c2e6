// Signature Version 4: how a request to S3, or to another AWS service, proves who sent it. Pure functions over what
// will be sent; nothing here does I/O or asks for the time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/result.h"
#include "millrace/secret.h"

namespace millrace::sigv4 {

// The payload hash of a request: the SHA-256 of the body in hex, or one of these words, which stand for themselves.
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
inline constexpr std::string_view kStreamingUnsignedTrailer = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
inline constexpr std::string_view kStreamingSigned = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
inline constexpr std::string_view kStreamingSignedTrailer = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
// The SHA-256 of no bytes.
inline constexpr std::string_view kEmptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// A Field is a name and a value that belong to the caller; a Header owns them.
struct Field {
  std::string_view name;
  std::string_view value;
};
struct Header {
  std::string name;
  std::string value;
};

struct Credentials {
  std::string access_key_id;
  SecretBytes secret_access_key;
  std::string session_token;  // empty for a permanent key
};

// Scope is what a signature is good for.
struct Scope {
  std::string date_time;  // of the request: YYYYMMDDTHHMMSSZ
  std::string region;
  std::string service = "s3";

  std::string_view date() const { return std::string_view(date_time).substr(0, 8); }
  std::string text() const;  // 20130524/us-east-1/s3/aws4_request
  Status check() const;      // kInvalidArgument: not a date, or an empty or foreign part
};

// S3 takes the path as it is: x/../y and a//b are names of objects. Other services remove dot segments and doubled
// slashes.
enum class PathRule : std::uint8_t { kVerbatim, kNormalized };

// Request is what canonical_request sees. Path, names and values are not percent-encoded, but for services other than
// S3: they encode the path twice, so what is given here is the path as it is sent.
struct Request {
  std::string_view method;
  std::string_view path;           // empty is "/"
  std::span<const Field> query;    // in any order
  std::span<const Field> headers;  // in any order and case; equal names are joined in the order given
  std::string_view payload_hash;
  PathRule path_rule = PathRule::kVerbatim;
};

// percent_encode keeps A-Z a-z 0-9 - . _ ~ and writes every other byte as %XX, upper case.
std::string percent_encode(std::string_view text);
// encode_path does the same and keeps slashes. These are the bytes to send: the HTTP library must not touch them.
std::string encode_path(std::string_view path, PathRule rule = PathRule::kVerbatim);
// encode_query encodes, sorts by name and then value, and joins; a name without a value gets its "=".
std::string encode_query(std::span<const Field> query);
// host_value is the Host header: lower case, an IPv6 address in brackets, no port that the scheme implies.
std::string host_value(std::string_view host, std::uint16_t port, bool tls);
// is_signed tells whether a header is signed. Those that proxies and HTTP libraries change are not.
bool is_signed(std::string_view header_name);

// signed_header_names gives the list of names: lower case, sorted, joined with ";".
std::string signed_header_names(std::span<const Field> headers);
// canonical_request covers every header of the request. kInvalidArgument: a method or a header name with characters
// that would make two requests look alike.
Result<std::string> canonical_request(const Request& request);
Result<std::string> string_to_sign(const Scope& scope, std::string_view canonical_request);
// signing_key may be kept for a day, per secret, region and service.
Result<SecretBytes> signing_key(ByteView secret_access_key, const Scope& scope);
// signature is 64 lower-case hex digits.
Result<std::string> signature(ByteView signing_key, std::string_view string_to_sign);

// Whether a session token is part of what is signed. S3 wants it so; some services want it added afterwards.
enum class TokenRule : std::uint8_t { kSigned, kAddedAfterwards };
// Whether x-amz-content-sha256 is sent. S3 wants it.
enum class ContentHash : std::uint8_t { kSent, kNotSent };

struct SigningRules {
  TokenRule token = TokenRule::kSigned;
  ContentHash content_hash = ContentHash::kSent;
};

// SignedRequest says what to add to a request, and what was signed, to compare with a server's SignatureDoesNotMatch.
// It holds the session token; keep it out of logs.
struct SignedRequest {
  std::vector<Header> headers;  // to be added: x-amz-date, x-amz-content-sha256, x-amz-security-token, authorization
  std::string query;            // of a presigned URL, complete: what comes behind the "?"
  std::string signature;        // of a request with signed chunks: their seed
  std::string canonical_request;
  std::string string_to_sign;
};

// sign_headers signs the headers of `request` for which is_signed() holds, and those that it adds. Host must be among
// them. kInvalidArgument for a scope or a request that cannot be signed.
Result<SignedRequest> sign_headers(const Request& request, const Credentials& credentials, const Scope& scope,
                                   const SigningRules& rules = {});

inline constexpr std::uint32_t kMaxPresignSeconds = 7 * 24 * 3600;
// presign makes a query that is good for `seconds` after the scope's time, 1 to kMaxPresignSeconds, and never longer
// than the session token. The payload hash of S3 is kUnsignedPayload.
Result<SignedRequest> presign(const Request& request, const Credentials& credentials, const Scope& scope,
                              std::uint32_t seconds, const SigningRules& rules = {});

}  // namespace millrace::sigv4
