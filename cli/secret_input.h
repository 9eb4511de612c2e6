// What is read whole before the work begins: keysets, private keys, and the small files beside them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "millrace/bytes.h"
#include "millrace/secret.h"

namespace millrace::cli {

// number_in parses all of `text` as an unsigned decimal number.
std::optional<std::uint64_t> number_in(std::string_view text);

// SecretKind is a kind of secret file, for messages and limits.
struct SecretKind {
  std::string_view name;  // "keyset"
  std::size_t max_size;
};

struct SecretInput {
  SecretBytes bytes;
  bool others_can_read = false;  // a regular file whose mode lets them
};

// read_secret_input reads FILE ("-": standard input), fd:N or env:NAME into memory that is cleansed. A variable holds
// JSON or PEM as text, or base64 of anything.
SecretInput read_secret_input(const std::string& where, const SecretKind& kind);
// read_private_key reads what should be an RSA or EC private key.
SecretInput read_private_key(const std::string& where);
// warn_about_private_key warns, once it has turned out to be one, about a file that others can read.
void warn_about_private_key(const std::string& where, const SecretInput& key);

// read_file reads a file that is no secret, of at most `most` bytes. Fails (usage) beyond.
std::vector<std::byte> read_file(const std::string& path, std::size_t most);

// refuse_inputs refuses what cannot be meant: standard input for two things (`input` is the verb's own, absent when it
// reads none), and one of `names` being replaced by `output`.
void refuse_inputs(const std::vector<std::string>& names, const std::optional<std::string>& input,
                   const std::string& output);

}  // namespace millrace::cli
