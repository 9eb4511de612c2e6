// What signs an upload on the command line: credentials from the environment, the request from options.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "millrace/aws_chunked.h"

namespace millrace::cli {

struct AwsSigningOptions {
  std::string seed;  // --sign
  std::string region;
  std::string date;
  std::string secret_key_file;

  void add_to(CLI::App& verb);
  // The secret comes from the file, or from AWS_SECRET_ACCESS_KEY; the region, unless given, from AWS_REGION or
  // AWS_DEFAULT_REGION.
  SecretBytes secret() const;
  // scope fails (usage) without a region or a date.
  sigv4::Scope scope() const;
  // signing is what --sign asks for, if it is given.
  std::optional<aws_chunked::ChunkSigning> signing() const;
};

// A URL that a body is put to, taken apart.
struct PutUrl {
  std::string host;  // as the Host header has it
  std::string path;  // not percent-encoded
  std::vector<sigv4::Header> query;
  bool tls = true;
};
// parse_put_url fails (usage) for anything but http://HOST[:PORT]/PATH[?QUERY] or https://.
PutUrl parse_put_url(const std::string& url);

// sign_put signs a PUT with those headers by the credentials of the environment (AWS_ACCESS_KEY_ID, AWS_SESSION_TOKEN
// and secret()), and adds the headers that sign it. The date is now, unless one was given.
aws_chunked::ChunkSigning sign_put(const PutUrl& url, AwsSigningOptions options, std::string_view content_sha256,
                                   std::vector<sigv4::Header>& headers);

}  // namespace millrace::cli
