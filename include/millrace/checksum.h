// CRC-32, CRC-32C and CRC-64/NVME: continued over any pieces, joined out of order, at the speed of the processor.
//
//   Crc32 crc;
//   crc.extend(first);
//   crc.extend(second);
//   crc = crc.combine(crc_of_third, third_size);  // as if extended by the third part, without seeing it
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "millrace/bytes.h"

namespace millrace {

// BasicCrc is the CRC of the bytes so far; its value is the finished one at any time. Bits are reflected, and the
// register starts as and is finished by an xor with all ones, as in every CRC here. `kPolynomial` is reflected too and
// without its leading term.
template <class Word, Word kPolynomial>
class BasicCrc {
 public:
  using Value = Word;

  // The CRC of no bytes.
  constexpr BasicCrc() = default;
  // A CRC that was computed before.
  constexpr explicit BasicCrc(Word value) : value_(value) {}
  static BasicCrc of(ByteView bytes) { return BasicCrc().extend(bytes); }

  // extend continues over `bytes`: any number, any alignment, any split give the same value.
  BasicCrc& extend(ByteView bytes);
  // Length is what combine() wants to know of a length in bytes; making one takes 0.1 to 6 us.
  class Length {
   public:
    explicit Length(std::uint64_t bytes);

   private:
    friend class BasicCrc;
    std::uint64_t factor_;  // x^(8 * bytes) modulo the polynomial, a lane of src/checksum/crc_algebra.h
  };
  // combine returns the CRC of a | b, where *this is that of a, `other` that of b and `other_length` the size of b in
  // bytes. A length of 0 gives *this back if `other` is the CRC of no bytes. For many parts of one length, make the
  // Length once: then a call takes 0.1 us.
  BasicCrc combine(BasicCrc other, const Length& other_length) const;
  BasicCrc combine(BasicCrc other, std::uint64_t other_length) const { return combine(other, Length(other_length)); }

  constexpr Word value() const { return value_; }
  // to_big_endian gives the bytes in the order that S3 puts into base64.
  constexpr std::array<std::byte, sizeof(Word)> to_big_endian() const {
    std::array<std::byte, sizeof(Word)> bytes{};
    for (std::size_t i = 0; i < sizeof(Word); ++i) {
      bytes[i] = static_cast<std::byte>(value_ >> (8 * (sizeof(Word) - 1 - i)));
    }
    return bytes;
  }

  // kernel_name tells which implementation this process uses, for example "x86-vpclmul512".
  static std::string_view kernel_name();

  friend constexpr bool operator==(BasicCrc, BasicCrc) = default;

 private:
  Word value_ = 0;
};

// ISO-HDLC: ZIP, gzip, PNG, S3's CRC32. The check value, over "123456789", is cbf43926.
using Crc32 = BasicCrc<std::uint32_t, 0xedb88320>;
// Castagnoli: iSCSI, S3's CRC32C. Check value e3069283.
using Crc32c = BasicCrc<std::uint32_t, 0x82f63b78>;
// NVM Express, S3's CRC64NVME. Check value ae8b14860a799888.
using Crc64Nvme = BasicCrc<std::uint64_t, 0x9a6c9329ac4bc9b5>;

}  // namespace millrace
