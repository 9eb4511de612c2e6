// base64 (RFC 4648 sections 4 and 5), straight into the caller's buffer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "millrace/bytes.h"
#include "millrace/result.h"

namespace millrace {

enum class Base64Alphabet : std::uint8_t { kStandard, kUrlSafe };   // "+/" or "-_"
enum class Base64Padding : std::uint8_t { kRequired, kForbidden };  // of the last group, with "="

struct Base64Options {
  Base64Alphabet alphabet = Base64Alphabet::kStandard;
  Base64Padding padding = Base64Padding::kRequired;
};

// base64_encoded_size is the exact number of characters for n bytes. n must be below 3/4 of the address space.
std::size_t base64_encoded_size(std::size_t n, Base64Options options = {});
// base64_decoded_capacity is enough bytes for any text of n characters; it is exact unless padding shortens the text.
std::size_t base64_decoded_capacity(std::size_t n);

// base64_encode writes base64_encoded_size(bytes.size()) characters and returns that number. `out` must have room and
// not overlap `bytes`.
std::size_t base64_encode(ByteView bytes, std::span<char> out, Base64Options options = {});
std::string base64_encode(ByteView bytes, Base64Options options = {});

// base64_decode writes the decoded bytes and returns their number. It is strict: a foreign character (line breaks and
// blanks too), a wrong length, missing or unwanted padding and non-zero bits under the padding are kMalformed; then
// `out` is zeroed. out.size() >= base64_decoded_capacity(text.size()); no overlap.
//
// The error's offset is that of the first character, read from the left, that cannot stand where it stands: for bits
// under the padding the digit that has them, and text.size() for a text that stops short.
//
// Neither direction is constant in time: tables are read at places that depend on the contents.
Result<std::size_t> base64_decode(std::string_view text, ByteSpan out, Base64Options options = {});

// Base64Encoder encodes bytes that arrive in pieces, each straight into the caller's buffer. The text does not depend
// on where the pieces end.
class Base64Encoder {
 public:
  explicit Base64Encoder(Base64Options options = {}) : options_(options) {}

  // update_size is the exact number of characters that update() writes for the next n bytes.
  std::size_t update_size(std::size_t n) const { return (pending_size_ + n) / 3 * 4; }
  // update encodes all groups that `bytes` completes and keeps the rest, at most two bytes. It returns the number of
  // characters written. out.size() >= update_size(bytes.size()); no overlap.
  std::size_t update(ByteView bytes, std::span<char> out);
  // finish writes the last group, 0 to 4 characters, and returns their number; `out` must have room for them. The
  // encoder is then ready for another text.
  std::size_t finish(std::span<char> out);

 private:
  Base64Options options_;
  std::array<std::byte, 3> pending_{};  // the beginning of a group
  std::size_t pending_size_ = 0;        // 0, 1 or 2
};

// Base64Decoder decodes one text that arrives in pieces, each straight into the caller's buffer, with the verdict and
// the offset (in the whole text) of base64_decode. What earlier calls wrote stays written when a later one fails.
class Base64Decoder {
 public:
  explicit Base64Decoder(Base64Options options = {}) : options_(options) {}

  // update_capacity is enough bytes for what update() writes for the next n characters.
  std::size_t update_capacity(std::size_t n) const { return base64_decoded_capacity(digits_ + n); }
  // update decodes all groups that `text` completes and returns the number of bytes written.
  // out.size() >= update_capacity(text.size()); no overlap. On failure `out` is zeroed, and every later call fails
  // with the same error.
  Result<std::size_t> update(std::string_view text, ByteSpan out);
  // finish says whether the text may end here. It writes the last group of a text without padding, 0 to 2 bytes, and
  // returns their number; `out` must have room for them. After success the decoder is ready for another text.
  Result<std::size_t> finish(ByteSpan out);

 private:
  Result<std::size_t> take(char c, ByteSpan out);
  Result<std::size_t> close(std::uint64_t last_digit, ByteSpan out);
  Error refuse(Error error, ByteSpan out);

  Base64Options options_;
  std::uint64_t position_ = 0;     // characters taken
  std::uint32_t group_ = 0;        // the bits of the pending digits
  std::size_t digits_ = 0;         // how many are pending: 0 to 3
  std::uint64_t padding_due_ = 0;  // "=" that must still come
  bool closed_ = false;            // padding began: there are no more digits
  std::optional<Error> failed_;
};

// base64_kernel_name is the name of the code that this process encodes and decodes with, such as "x86-avx512vbmi" or
// "portable".
std::string_view base64_kernel_name();

}  // namespace millrace
