#include "crypto/key_encoding.h"

#include <openssl/evp.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "crypto/der.h"
#include "crypto/openssl_cipher.h"

namespace millrace {

namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kDashes = "-----";

struct PemLabel {
  std::string_view label;
  KeyForm form;
};
// RFC 7468, and the labels that OpenSSL made usual for the older private keys.
constexpr PemLabel kLabels[] = {
    {"PUBLIC KEY", KeyForm::kSpki},       {"CERTIFICATE", KeyForm::kCertificate},
    {"PRIVATE KEY", KeyForm::kPkcs8},     {"ENCRYPTED PRIVATE KEY", KeyForm::kEncryptedPkcs8},
    {"RSA PRIVATE KEY", KeyForm::kPkcs1}, {"EC PRIVATE KEY", KeyForm::kSec1},
};

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<KeyForm> form_of(ByteView der) {
  DerReader whole(der);
  const std::optional<ByteView> sequence = whole.take(kDerSequence);
  if (!sequence || !whole.at_end()) return std::nullopt;
  DerReader reader(*sequence);
  const std::optional<std::byte> first = reader.next_tag();
  if (!first || !reader.take(*first)) return std::nullopt;
  const std::optional<std::byte> second = reader.next_tag();
  if (first == kDerInteger) {
    if (second == kDerSequence) return KeyForm::kPkcs8;
    if (second == kDerInteger) return KeyForm::kPkcs1;
    if (second == kDerOctetString) return KeyForm::kSec1;
  } else if (first == kDerSequence) {
    if (second == kDerBitString) return KeyForm::kSpki;
    if (second == kDerSequence) return KeyForm::kCertificate;
    if (second == kDerOctetString) return KeyForm::kEncryptedPkcs8;
  }
  return std::nullopt;
}

bool is_base64_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
}

std::optional<SecretBytes> decode_base64(std::string_view body) {
  SecretBytes digits(body.size());
  std::size_t size = 0;
  for (const char c : body) {
    if (kSpace.find(c) == std::string_view::npos) digits.fill()[size++] = static_cast<std::byte>(c);
  }
  const std::string_view text = as_text(digits.reveal().first(size));
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  if (size == 0 || size % 4 != 0 || !std::ranges::all_of(text.substr(0, size - padding), is_base64_digit))
    return std::nullopt;
  SecretBytes padded(size / 4 * 3);
  if (EVP_DecodeBlock(openssl_bytes(padded.fill().data()), openssl_bytes(digits.reveal()), static_cast<int>(size)) < 0)
    return std::nullopt;
  return SecretBytes::copy_of(padded.reveal().first(padded.size() - padding));
}

// `text` begins with kBegin and ends with the last character that is not white space.
Result<EncodedKey> read_pem(std::string_view text) {
  constexpr Error kMalformed{ErrorCode::kMalformed, "key: PEM"};
  text.remove_prefix(kBegin.size());
  const std::size_t label_size = text.find(kDashes);
  if (label_size == std::string_view::npos) return kMalformed;
  const std::string_view label = text.substr(0, label_size);
  text.remove_prefix(label_size + kDashes.size());
  const auto known = std::ranges::find(kLabels, label, &PemLabel::label);
  if (known == std::end(kLabels)) return Error{ErrorCode::kInvalidArgument, "key: PEM of another kind"};

  const std::size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return kMalformed;
  const std::string_view body = trim(text.substr(0, end));
  text.remove_prefix(end + kEnd.size());
  if (!text.starts_with(label) || !text.substr(label.size()).starts_with(kDashes)) return kMalformed;
  if (text.size() != label.size() + kDashes.size())
    return Error{ErrorCode::kMalformed, "key: text or another block behind the PEM block"};

  // RFC 1421 headers: OpenSSL writes them on private keys of the older kinds that are encrypted, and nowhere else.
  if (body.starts_with("Proc-Type: 4,ENCRYPTED")) return EncodedKey{KeyForm::kEncryptedPkcs8, {}};
  std::optional<SecretBytes> der = decode_base64(body);
  if (!der || form_of(der->reveal()) != known->form) return kMalformed;
  return EncodedKey{known->form, *std::move(der)};
}

}  // namespace

Result<EncodedKey> read_encoded_key(ByteView pem_or_der) {
  if (pem_or_der.size() > kMaxEncodedKey) return Error{ErrorCode::kLimitExceeded, "key: more than 64 KiB"};
  const std::string_view text = trim(as_text(pem_or_der));
  if (text.starts_with(kBegin)) return read_pem(text);
  const std::optional<KeyForm> form = form_of(pem_or_der);
  if (!form) return Error{ErrorCode::kMalformed, "key: neither PEM nor DER"};
  return EncodedKey{*form, SecretBytes::copy_of(pem_or_der)};
}

}  // namespace millrace
