#include "millrace/sigv4.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "crypto/hash.h"
#include "encoding/hex.h"

namespace millrace::sigv4 {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kVectors = fs::path(MILLRACE_TEST_VECTORS) / "s3";

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Field> views(const std::vector<Header>& headers) {
  std::vector<Field> result;
  for (const Header& header : headers) result.push_back({header.name, header.value});
  return result;
}

SecretBytes secret(std::string_view text) { return SecretBytes::copy_of(as_bytes(text)); }

std::string percent_decode(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      result += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

// ParsedRequest is a raw HTTP request of the suite. Its path is not encoded; its query may be.
struct ParsedRequest {
  std::string method, path, body;
  std::vector<Header> query, headers;

  explicit ParsedRequest(const std::string& text) {
    std::size_t at = text.find('\n');
    const std::string first = text.substr(0, at++);
    method = first.substr(0, first.find(' '));
    std::string target = first.substr(method.size() + 1, first.rfind(" HTTP/") - method.size() - 1);
    if (const std::size_t mark = target.find('?'); mark != std::string::npos) {
      std::string_view rest = std::string_view(target).substr(mark + 1);
      while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        const std::size_t equals = std::min(pair.find('='), pair.size());
        query.push_back(
            {percent_decode(pair.substr(0, equals)), percent_decode(pair.substr(std::min(equals + 1, pair.size())))});
      }
      target.resize(mark);
    }
    path = target;
    while (at < text.size() && text[at] != '\n') {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      if (line[0] == ' ') {  // folded
        headers.back().value += '\n' + line;
      } else {
        headers.push_back({line.substr(0, line.find(':')), line.substr(line.find(':') + 1)});
      }
      at = end + 1;
    }
    if (at < text.size()) body = text.substr(at + 1);
  }
};

std::string sha256_hex(std::string_view text) {
  Hash hash = *Hash::create(HashAlgorithm::kSha256);
  hash.update(as_bytes(text));
  std::byte digest[32];
  EXPECT_TRUE(hash.finish(digest));
  return hex_encode(digest);
}

std::string basic_time(std::string text) {
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

std::string value_of(const std::vector<Header>& headers, std::string_view name) {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const Header& header) { return header.name == name; });
  return found == headers.end() ? "" : found->value;
}

TEST(SigV4, SigningTestSuite) {
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(kVectors / "sigv4" / "v4")) {
    SCOPED_TRACE(entry.path().filename().string());
    ++cases;
    const json context = json::parse(text_of(entry.path() / "context.json"));
    const ParsedRequest raw(text_of(entry.path() / "request.txt"));
    const json& given = context["credentials"];
    const Credentials credentials = {given["access_key_id"], secret(given["secret_access_key"].get<std::string>()),
                                     given.value("token", "")};
    const Scope scope = {basic_time(context["timestamp"]), context["region"], context["service"]};
    const SigningRules rules = {
        context.value("omit_session_token", false) ? TokenRule::kAddedAfterwards : TokenRule::kSigned,
        context["sign_body"].get<bool>() ? ContentHash::kSent : ContentHash::kNotSent};
    const std::string payload_hash = sha256_hex(raw.body);
    const std::vector<Field> headers = views(raw.headers);
    const std::vector<Field> query = views(raw.query);
    const PathRule path_rule = context["normalize"].get<bool>() ? PathRule::kNormalized : PathRule::kVerbatim;
    const Request request = {raw.method, raw.path, query, headers, payload_hash, path_rule};

    const auto expected = [&](const char* file) { return text_of(entry.path() / file); };
    const Result<SignedRequest> in_headers = sign_headers(request, credentials, scope, rules);
    ASSERT_TRUE(in_headers);
    EXPECT_EQ(in_headers->canonical_request, expected("header-canonical-request.txt"));
    EXPECT_EQ(in_headers->string_to_sign, expected("header-string-to-sign.txt"));
    EXPECT_EQ(in_headers->signature, expected("header-signature.txt"));
    EXPECT_NE(expected("header-signed-request.txt")
                  .find("Authorization:" + value_of(in_headers->headers, "authorization") + "\n"),
              std::string::npos);
    EXPECT_EQ(value_of(in_headers->headers, "x-amz-security-token"), credentials.session_token);

    const Result<SignedRequest> in_query =
        presign(request, credentials, scope, context["expiration_in_seconds"], rules);
    ASSERT_TRUE(in_query);
    EXPECT_EQ(in_query->canonical_request, expected("query-canonical-request.txt"));
    EXPECT_EQ(in_query->string_to_sign, expected("query-string-to-sign.txt"));
    EXPECT_EQ(in_query->signature, expected("query-signature.txt"));
    // The suite's order of parameters is another; they are the same ones.
    const std::string signed_request = expected("query-signed-request.txt");
    const std::size_t mark = signed_request.find('?');
    std::string wanted = signed_request.substr(mark + 1, signed_request.rfind(" HTTP/") - mark - 1);
    const auto sorted_parts = [](std::string text) {
      std::vector<std::string> parts;
      for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('&', at), text.size());
        std::string part = text.substr(at, end - at);
        if (part.find('=') == std::string::npos) part += '=';
        parts.push_back(percent_encode(percent_decode(part)));
        at = end + 1;
      }
      std::sort(parts.begin(), parts.end());
      return parts;
    };
    EXPECT_EQ(sorted_parts(in_query->query), sorted_parts(wanted));
  }
  EXPECT_EQ(cases, 38u);
}

TEST(SigV4, DocumentedS3Examples) {
  const json vectors = json::parse(text_of(kVectors / "sigv4-s3-examples.json"));
  const Scope scope = {vectors["timestamp"], vectors["region"], vectors["service"]};
  std::size_t with_signature = 0;
  for (const json& example : vectors["cases"]) {
    SCOPED_TRACE(example["name"].get<std::string>());
    std::vector<Header> owned;
    for (const auto& [name, value] : example["headers"].items()) owned.push_back({name, value});
    std::reverse(owned.begin(), owned.end());  // the order given does not matter
    std::vector<Header> query;
    const std::string canonical_query = example.value("canonical_query", "");
    for (std::size_t at = 0; at < canonical_query.size();) {
      const std::size_t end = std::min(canonical_query.find('&', at), canonical_query.size());
      const std::string part = canonical_query.substr(at, end - at);
      query.push_back(
          {percent_decode(part.substr(0, part.find('='))), percent_decode(part.substr(part.find('=') + 1))});
      at = end + 1;
    }
    const std::vector<Field> headers = views(owned);
    const std::vector<Field> fields = views(query);
    const std::string method = example["method"];
    const std::string path = percent_decode(example["canonical_uri"].get<std::string>());
    const std::string canonical = example["canonical_request"];
    const std::string payload_hash = canonical.substr(canonical.rfind('\n') + 1);
    const Request request = {method, path, fields, headers, payload_hash};

    EXPECT_EQ(encode_path(path), example["canonical_uri"]);
    ASSERT_EQ(*canonical_request(request), canonical);
    ASSERT_EQ(*string_to_sign(scope, canonical), example["string_to_sign"]);
    const std::string wanted = example.contains("signature") ? example["signature"] : example["seed_signature"];
    const SecretBytes key = *signing_key(as_bytes(vectors["secret_access_key"].get_ref<const std::string&>()), scope);
    EXPECT_EQ(*signature(key.reveal(), example["string_to_sign"].get<std::string>()), wanted);
    ++with_signature;
  }
  EXPECT_EQ(with_signature, 19u);
}

// The calls that a client makes, not their parts, give the documented signatures.
TEST(SigV4, WholeCallsReproduceTheDocumentation) {
  const Credentials credentials = {"AKIAIOSFODNN7EXAMPLE", secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), ""};
  const Scope scope = {"20130524T000000Z", "us-east-1"};
  const Field headers[] = {{"Host", "examplebucket.s3.amazonaws.com"}, {"Range", "bytes=0-9"}};
  const Result<SignedRequest> get = sign_headers({"GET", "/test.txt", {}, headers, kEmptyPayload}, credentials, scope);
  ASSERT_TRUE(get);
  EXPECT_EQ(value_of(get->headers, "authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  EXPECT_EQ(value_of(get->headers, "x-amz-content-sha256"), kEmptyPayload);
  EXPECT_EQ(value_of(get->headers, "x-amz-date"), "20130524T000000Z");

  const Result<SignedRequest> url =
      presign({"GET", "/test.txt", {}, {headers, 1}, kUnsignedPayload}, credentials, scope, 86400);
  ASSERT_TRUE(url);
  EXPECT_EQ(url->query,
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3"
            "%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
            "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(SigV4, V01EveryByteOfAKeyIsEncodedOnce) {
  EXPECT_EQ(encode_path("/b/a b+c%@:=&;,'()*!$?#`~._-"),
            "/b/a%20b%2Bc%25%40%3A%3D%26%3B%2C%27%28%29%2A%21%24%3F%23%60~._-");
  EXPECT_EQ(encode_path("/\xc3\xa9/x%2Fy"), "/%C3%A9/x%252Fy");
  EXPECT_EQ(encode_path(std::string(1, '\0')), "%00");
  EXPECT_EQ(encode_path("/" + std::string(1024, ' ')).size(), 1u + 3 * 1024);
  const Field query[] = {{"prefix", "a/b c"}, {"uploads", ""}, {"prefix", "A"}, {"list-type", "2"}};
  EXPECT_EQ(encode_query(query), "list-type=2&prefix=A&prefix=a%2Fb%20c&uploads=");
}

TEST(SigV4, V02PathsOfS3AreNotNormalized) {
  EXPECT_EQ(encode_path(""), "/");
  EXPECT_EQ(encode_path("//a//b/"), "//a//b/");
  EXPECT_EQ(encode_path("/x/../y/./"), "/x/../y/./");
  EXPECT_EQ(encode_path("/x/../y/./", PathRule::kNormalized), "/y/");
  EXPECT_EQ(encode_path("/../../x", PathRule::kNormalized), "/x");
  EXPECT_EQ(encode_path("/..", PathRule::kNormalized), "/");
}

TEST(SigV4, V03HostLeavesOutThePortOfTheScheme) {
  EXPECT_EQ(host_value("Bucket.S3.Example", 443, true), "bucket.s3.example");
  EXPECT_EQ(host_value("s3.example", 80, false), "s3.example");
  EXPECT_EQ(host_value("s3.example", 80, true), "s3.example:80");
  EXPECT_EQ(host_value("s3.example", 443, false), "s3.example:443");
  EXPECT_EQ(host_value("::1", 9000, false), "[::1]:9000");
  EXPECT_EQ(host_value("[::1]", 443, true), "[::1]");
}

TEST(SigV4, V04HeadersThatChangeOnTheWayAreNotSigned) {
  const Field headers[] = {{"Host", "h"},        {"Accept-Encoding", "identity"}, {"Expect", "100-continue"},
                           {"User-Agent", "u"},  {"Connection", "close"},         {"Transfer-Encoding", "chunked"},
                           {"Proxy-Thing", "p"}, {"Content-Type", "text/plain"},  {"X-Amz-Meta-A", "b"}};
  const Credentials credentials = {"AKID", secret("SECRET"), ""};
  const Scope scope = {"20130524T000000Z", "us-east-1"};
  const Result<SignedRequest> made = sign_headers({"PUT", "/", {}, headers, kUnsignedPayload}, credentials, scope);
  ASSERT_TRUE(made);
  EXPECT_NE(value_of(made->headers, "authorization")
                .find("SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-meta-a,"),
            std::string::npos);
}

TEST(SigV4, V05SessionTokenIsSignedWhenThereIsOne) {
  const Field headers[] = {{"host", "h"}};
  const Scope scope = {"20130524T000000Z", "us-east-1"};
  const Request request = {"GET", "/", {}, headers, kUnsignedPayload};
  for (const std::string token : {"", "TOKEN/+="}) {
    const Credentials credentials = {"AKID", secret("SECRET"), token};
    const SignedRequest made = *sign_headers(request, credentials, scope);
    EXPECT_EQ(value_of(made.headers, "x-amz-security-token"), token);
    EXPECT_EQ(made.canonical_request.find("x-amz-security-token:") != std::string::npos, !token.empty());
    const SignedRequest url = *presign(request, credentials, scope, 1);
    EXPECT_EQ(url.canonical_request.find("X-Amz-Security-Token=TOKEN%2F%2B%3D") != std::string::npos, !token.empty());
  }
}

TEST(SigV4, RefusesWhatCannotBeSigned) {
  const Credentials credentials = {"AKID", secret("SECRET"), ""};
  const Field headers[] = {{"host", "h"}};
  const Field two_in_one[] = {{"host", "h"}, {"a\nx-amz-acl", "public"}};
  const Scope good = {"20130524T000000Z", "us-east-1"};
  const auto code = [&](const Request& request, const Scope& scope) {
    const auto made = sign_headers(request, credentials, scope);
    return made ? std::string("none") : std::string(made.error().where);
  };
  const Request request = {"GET", "/", {}, headers, kUnsignedPayload};
  EXPECT_EQ(code(request, good), "none");
  EXPECT_EQ(code({"GET\n/x", "/", {}, headers, kUnsignedPayload}, good), "SigV4: method");
  EXPECT_EQ(code({"GET", "/", {}, two_in_one, kUnsignedPayload}, good), "SigV4: header name");
  EXPECT_EQ(code({"GET", "/", {}, headers, ""}, good), "SigV4: payload hash");
  EXPECT_EQ(code(request, {"20130524T000000", "us-east-1"}), "SigV4: date");
  EXPECT_EQ(code(request, {"2013-05-24T00:00", "us-east-1"}), "SigV4: date");
  EXPECT_EQ(code(request, {"20130524T000000Z", ""}), "SigV4: region");
  EXPECT_EQ(code(request, {"20130524T000000Z", "us/east"}), "SigV4: region");
  EXPECT_EQ(code(request, {"20130524T000000Z", "r", "s\n"}), "SigV4: service");
  EXPECT_FALSE(presign(request, credentials, good, 0));
  EXPECT_TRUE(presign(request, credentials, good, kMaxPresignSeconds));
  EXPECT_FALSE(presign(request, credentials, good, kMaxPresignSeconds + 1));
}

}  // namespace
}  // namespace millrace::sigv4
