// What a text is: groups, padding, verdicts and offsets. Whole groups go to the kernel; everything else is decided
// here, once, for every kernel and for texts in one piece and in many.
#include "millrace/base64.h"

#include <algorithm>

#include "base/check.h"
#include "encoding/base64_digits.h"
#include "encoding/base64_kernels.h"

namespace millrace {

namespace {

Error malformed(std::uint64_t offset) { return Error{ErrorCode::kMalformed, "base64", offset}; }

}  // namespace

std::size_t base64_encoded_size(std::size_t n, Base64Options options) {
  if (options.padding == Base64Padding::kRequired) return n / 3 * 4 + (n % 3 == 0 ? 0 : 4);
  return n / 3 * 4 + (n % 3 == 0 ? 0 : n % 3 + 1);
}

std::size_t base64_decoded_capacity(std::size_t n) { return n / 4 * 3 + n % 4 * 3 / 4; }

std::size_t base64_encode(ByteView bytes, std::span<char> out, Base64Options options) {
  Base64Encoder encoder(options);
  const std::size_t written = encoder.update(bytes, out);
  return written + encoder.finish(out.subspan(written));
}

std::string base64_encode(ByteView bytes, Base64Options options) {
  std::string text(base64_encoded_size(bytes.size(), options), '\0');
  base64_encode(bytes, text, options);
  return text;
}

Result<std::size_t> base64_decode(std::string_view text, ByteSpan out, Base64Options options) {
  Base64Decoder decoder(options);
  MR_TRY(const std::size_t written, decoder.update(text, out));
  const Result<std::size_t> last = decoder.finish(out.subspan(written));
  if (!last) {
    std::fill(out.begin(), out.end(), std::byte{0});
    return last.error();
  }
  return written + *last;
}

std::size_t Base64Encoder::update(ByteView bytes, std::span<char> out) {
  MR_CHECK(out.size() >= update_size(bytes.size()));
  std::size_t written = 0;
  if (pending_size_ > 0) {
    const std::size_t n = std::min(3 - pending_size_, bytes.size());
    std::copy_n(bytes.begin(), n, pending_.begin() + static_cast<std::ptrdiff_t>(pending_size_));
    pending_size_ += n;
    bytes = bytes.subspan(n);
    if (pending_size_ < 3) return 0;
    base64::encode_portable(pending_.data(), 1, out.data(), options_.alphabet);
    written = 4;
  }
  const std::size_t groups = bytes.size() / 3;
  base64::kernel().encode(bytes.data(), groups, out.data() + written, options_.alphabet);
  pending_size_ = bytes.size() % 3;
  std::copy_n(bytes.end() - static_cast<std::ptrdiff_t>(pending_size_), pending_size_, pending_.begin());
  return written + 4 * groups;
}

std::size_t Base64Encoder::finish(std::span<char> out) {
  if (pending_size_ == 0) return 0;
  std::fill(pending_.begin() + static_cast<std::ptrdiff_t>(pending_size_), pending_.end(), std::byte{0});
  std::array<char, 4> group;
  base64::encode_portable(pending_.data(), 1, group.data(), options_.alphabet);
  std::fill(group.begin() + static_cast<std::ptrdiff_t>(pending_size_ + 1), group.end(), '=');
  const std::size_t n = options_.padding == Base64Padding::kRequired ? 4 : pending_size_ + 1;
  MR_CHECK(out.size() >= n);
  std::copy_n(group.begin(), n, out.begin());
  pending_size_ = 0;
  return n;
}

Result<std::size_t> Base64Decoder::update(std::string_view text, ByteSpan out) {
  if (failed_) return refuse(*failed_, out);
  MR_CHECK(out.size() >= update_capacity(text.size()));
  std::size_t written = 0;
  while (!text.empty()) {
    if (digits_ == 0 && !closed_) {
      const std::size_t groups =
          base64::kernel().decode(text.data(), text.size() / 4, out.data() + written, options_.alphabet);
      text.remove_prefix(4 * groups);
      position_ += 4 * groups;
      written += 3 * groups;
      if (text.empty()) break;
    }
    // The end of the group before, the beginning of the next one, padding, or the character at fault.
    const Result<std::size_t> taken = take(text.front(), out.subspan(written));
    if (!taken) return refuse(taken.error(), out);
    text.remove_prefix(1);
    written += *taken;
  }
  return written;
}

Result<std::size_t> Base64Decoder::finish(ByteSpan out) {
  if (failed_) return refuse(*failed_, out);
  const bool short_group = digits_ == 1 || (digits_ > 0 && options_.padding == Base64Padding::kRequired);
  if (padding_due_ > 0 || short_group) return refuse(malformed(position_), out);
  std::size_t written = 0;
  if (digits_ > 0) {
    const Result<std::size_t> last = close(position_ - 1, out);
    if (!last) return refuse(last.error(), out);
    written = *last;
  }
  *this = Base64Decoder(options_);
  return written;
}

// take accepts one character and returns how many bytes it completed.
Result<std::size_t> Base64Decoder::take(char c, ByteSpan out) {
  const std::uint64_t at = position_++;
  if (closed_) {
    if (padding_due_ == 0 || c != '=') return malformed(at);
    --padding_due_;
    return std::size_t{0};
  }
  if (c == '=' && digits_ >= 2 && options_.padding == Base64Padding::kRequired) {
    closed_ = true;
    padding_due_ = 3 - digits_;
    return close(at - 1, out);
  }
  const std::uint8_t value = base64::values_of(options_.alphabet)[static_cast<unsigned char>(c)];
  if (value == base64::kForeign) return malformed(at);
  group_ = group_ << 6 | value;
  if (++digits_ < 4) return std::size_t{0};
  for (std::size_t k = 0; k < 3; ++k) out[k] = static_cast<std::byte>(group_ >> (16 - 8 * k));
  digits_ = 0;
  group_ = 0;
  return std::size_t{3};
}

// close ends the text with a group of two or three digits, the last of them at `last_digit`.
Result<std::size_t> Base64Decoder::close(std::uint64_t last_digit, ByteSpan out) {
  const std::size_t bytes = digits_ - 1;
  const std::size_t spare_bits = 6 * digits_ - 8 * bytes;
  // They must be zero, or two texts would mean the same bytes.
  if ((group_ & ((1u << spare_bits) - 1)) != 0) return malformed(last_digit);
  MR_CHECK(out.size() >= bytes);
  for (std::size_t k = 0; k < bytes; ++k) out[k] = static_cast<std::byte>(group_ >> (spare_bits + 8 * (bytes - 1 - k)));
  digits_ = 0;
  group_ = 0;
  return bytes;
}

Error Base64Decoder::refuse(Error error, ByteSpan out) {
  std::fill(out.begin(), out.end(), std::byte{0});
  failed_ = error;
  return error;
}

std::string_view base64_kernel_name() { return base64::kernel().name; }

}  // namespace millrace
