// Just enough DER (ITU-T X.690) to take keys apart (internal).
#pragma once

#include <cstddef>
#include <optional>

#include "millrace/bytes.h"

namespace millrace {

inline constexpr std::byte kDerInteger{0x02};
inline constexpr std::byte kDerBitString{0x03};
inline constexpr std::byte kDerOctetString{0x04};
inline constexpr std::byte kDerNull{0x05};
inline constexpr std::byte kDerObject{0x06};
inline constexpr std::byte kDerSequence{0x30};

// DerReader takes the elements of a sequence one after another: tags of one byte, lengths below 64 KiB in their
// shortest form. It views the bytes; whoever asks for one element too many, or for another tag, gets nothing and the
// reader stays where it is.
class DerReader {
 public:
  explicit DerReader(ByteView bytes) : rest_(bytes) {}
  bool at_end() const { return rest_.empty(); }

  // next_tag is the tag of the next element, if there is a whole one.
  std::optional<std::byte> next_tag() const {
    const std::optional<Element> element = peek();
    return element ? std::optional(element->tag) : std::nullopt;
  }

  // take gives the content of the next element.
  std::optional<ByteView> take(std::byte tag) {
    const std::optional<Element> element = peek();
    if (!element || element->tag != tag) return std::nullopt;
    rest_ = rest_.subspan(element->size);
    return element->content;
  }

  // take_number gives the digits of an INTEGER that is not negative, without leading zeros; none for 0.
  std::optional<ByteView> take_number() {
    const std::optional<Element> element = peek();
    if (!element || element->tag != kDerInteger || element->content.empty()) return std::nullopt;
    ByteView digits = element->content;
    if ((digits[0] & std::byte{0x80}) != std::byte{0}) return std::nullopt;
    if (digits[0] == std::byte{0}) {
      digits = digits.subspan(1);
      if (!digits.empty() && (digits[0] & std::byte{0x80}) == std::byte{0}) return std::nullopt;
    }
    rest_ = rest_.subspan(element->size);
    return digits;
  }

 private:
  struct Element {
    std::byte tag;
    ByteView content;
    std::size_t size;  // with tag and length
  };

  std::optional<Element> peek() const {
    if (rest_.size() < 2) return std::nullopt;
    std::size_t header = 2;
    std::size_t length = std::to_integer<std::size_t>(rest_[1]);
    if (length >= 0x80) {
      const std::size_t digits = length - 0x80;  // none is the indefinite length, which DER does not have
      if (digits == 0 || digits > 2 || rest_.size() < 2 + digits) return std::nullopt;
      length = 0;
      for (const std::byte digit : rest_.subspan(2, digits)) length = length << 8 | std::to_integer<std::size_t>(digit);
      if (length < (digits == 1 ? 0x80U : 0x100U)) return std::nullopt;
      header += digits;
    }
    if (length > rest_.size() - header) return std::nullopt;
    return Element{rest_[0], rest_.subspan(header, length), header + length};
  }

  ByteView rest_;
};

}  // namespace millrace
