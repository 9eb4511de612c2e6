// MaskedText: JSON for a parser that must not learn the strings.
//
// nlohmann's parser checks the grammar for us, but it copies every token into a std::string and a std::vector that grow
// and are never cleansed, and quotes the last token in its error text. Key material would lie about on the heap. So the
// parser is fed through this iterator, which replaces each letter, digit and base64 sign inside a string by 'x':
// quotes, escapes and UTF-8 stay, every position stays, and the parser judges the same structure without seeing a key.
// The reader takes the string that the parser has just passed from the original text.
//
// What can still pass is a base64 character written as an escape; of those only "\/" is found in practice, from writers
// that escape slashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "millrace/secret.h"

namespace millrace::tink {

class MaskedText {
 public:
  explicit MaskedText(std::string_view text) : text_(text) {}

  // Iterator is for one pass; copies share the position of the text. A default-constructed one is the end.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    Iterator() = default;
    explicit Iterator(MaskedText& text) : text_(&text) {}
    char operator*() const { return text_->current(); }
    Iterator& operator++() {
      text_->advance();
      return *this;
    }
    void operator++(int) { text_->advance(); }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_end() == b.at_end(); }

   private:
    bool at_end() const { return text_ == nullptr || text_->position_ == text_->text_.size(); }
    MaskedText* text_ = nullptr;
  };

  std::size_t position() const { return position_; }
  // last_string is the string that ended last, between its quotes and with its escapes.
  std::string_view last_string() const { return text_.substr(string_begin_, string_end_ - string_begin_); }
  std::size_t last_string_position() const { return string_begin_; }

 private:
  enum class Where : std::uint8_t { kOutside, kInString, kAfterBackslash, kInHexDigits };
  char current() const;
  void advance();

  std::string_view text_;
  std::size_t position_ = 0;
  Where where_ = Where::kOutside;
  int hex_digits_left_ = 0;
  std::size_t string_begin_ = 0, string_end_ = 0;
};

// unescape returns the characters that a string stands for, whose escapes the parser has found good. It is `raw` itself
// if there are none, else it lies in `storage`.
std::string_view unescape(std::string_view raw, SecretBytes& storage);

}  // namespace millrace::tink
