// FormWriter: output that may hold keys is written once, into memory of exactly the right size.
#pragma once

#include <protozero/varint.hpp>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/copy.h"
#include "millrace/base64.h"
#include "millrace/bytes.h"
#include "millrace/secret.h"

namespace millrace::tink {

// FormWriter without memory only counts. Every form is written by a function that is called twice, first to count; a
// growing buffer would leave copies of keys behind on the heap.
class FormWriter {
 public:
  FormWriter() = default;
  explicit FormWriter(ByteSpan out) : out_(out), counting_(false) {}

  std::size_t size() const { return size_; }
  void bytes(ByteView bytes) {
    if (!counting_) copy_bytes(out_.subspan(size_), bytes);
    size_ += bytes.size();
  }
  void text(std::string_view text) { bytes(as_bytes(text)); }
  void decimal(std::uint32_t number) { text(std::to_string(number)); }
  void base64(ByteView bytes) {
    const std::size_t n = base64_encoded_size(bytes.size());
    if (!counting_) {
      const ByteSpan room = out_.subspan(size_, n);
      base64_encode(bytes, {reinterpret_cast<char*>(room.data()), room.size()});
    }
    size_ += n;
  }
  void varint(std::uint64_t number) {
    char buffer[protozero::max_varint_length];
    text({buffer, static_cast<std::size_t>(protozero::write_varint(buffer, number))});
  }

  // Protobuf fields, as proto3 writers emit them: zero and empty values are left out.
  void number_field(std::uint32_t field, std::uint32_t number) {
    if (number == 0) return;
    varint(field << 3);
    varint(number);
  }
  void bytes_field(std::uint32_t field, ByteView value) {
    if (value.empty()) return;
    varint(field << 3 | 2);
    varint(value.size());
    bytes(value);
  }
  // message_field calls body(FormWriter&) twice; a message is written even when it is empty.
  template <class Body>
  void message_field(std::uint32_t field, const Body& body) {
    FormWriter counter;
    body(counter);
    varint(field << 3 | 2);
    varint(counter.size());
    body(*this);
  }

 private:
  ByteSpan out_;
  bool counting_ = true;
  std::size_t size_ = 0;
};

template <class Body>
SecretBytes write_secret(const Body& body) {
  FormWriter counter;
  body(counter);
  SecretBytes out(counter.size());
  FormWriter writer(out.fill());
  body(writer);
  MR_CHECK(writer.size() == out.size());
  return out;
}

template <class Body>
std::vector<std::byte> write_public(const Body& body) {
  FormWriter counter;
  body(counter);
  std::vector<std::byte> out(counter.size());
  FormWriter writer(out);
  body(writer);
  MR_CHECK(writer.size() == out.size());
  return out;
}

}  // namespace millrace::tink
