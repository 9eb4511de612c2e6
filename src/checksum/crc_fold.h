// extend_folding: a CRC by carry-less multiplication, once for every polynomial and every vector width.
//
// The idea is that of V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction"
// (Intel white paper, 2009): a CRC does not change when 128 bits of the message are replaced by anything congruent to
// them modulo P. A block that has B more bits behind it equals block * x^B, so it can be multiplied by x^B mod P and
// added to the block B bits ahead. Two multiplications of 64 x 64 bits fold 128 bits away, without a table and without
// branches.
//
//   message   | head |  vector  |  vector  |  vector  |  vector  |  vector  | ...
//             0..V-1     V bytes each, V = 16, 32 or 64
//
// Differences from the paper and from what followed it:
//
//  - The odd bytes come first. Zeros before a message change nothing in a register of zeros, so the head is laid at the
//    end of a vector of its own, with zeros before it, and every later vector is a full one. The start value covers the
//    first eight bytes, wherever they lie. So there is no tail to treat, and the end, where nothing overlaps any more,
//    has fewer steps. The head costs one shuffle and one multiplication, which run beside the first loads.
//  - One final sum. The paper folds the accumulators into one, that one into 128 bits, those into 64, and each of these
//    multiplications waits for the one before. Here each 128-bit block of each accumulator, and each vector that was
//    left over, is multiplied at once by the power of x that brings it to the end, and everything is added up. That is
//    one multiplication deep, whatever the length; Barrett's reduction adds two more.
//  - One width of CRC (crc_algebra.h).
//
// Zen 4, 3.7 GHz, CRC-32, 512-bit vectors, GB/s at 256 B, 300 B, 4 KiB, 64 KiB: 36, 30, 55, 57. ISA-L 2.30, which folds
// its accumulators in a row and treats the odd bytes at the end: 26, 20, 48, 56. The same code entering the loop for
// 256 bytes, which then does not turn, instead of summing four vectors: 30.
//
// A kernel file defines MILLRACE_FOLD_TARGET, the attribute of its instruction set, and a Vector:
//   Register, kBytes, kAccumulators          kAccumulators x kBytes are folded per turn of the loop
//   load, zero, add                          add is xor
//   multipliers(p)                           one Multiplier from p on for each block of 128 bits
//   multiplier(m)                            the same one for each
//   multiply_add(v, m, w)                    v.first * m.first + v.second * m.second + w, block by block
//   first_bytes(lane)                        the lane, then zeros
//   split(v, n)                              {the first n bytes as the last ones, zeros before; the others first}
//   reduce(v, reduction)                     the blocks of v added up, modulo P
#pragma once

#ifndef MILLRACE_FOLD_TARGET
#error "define MILLRACE_FOLD_TARGET before including crc_fold.h"
#endif

#include <array>
#include <cstddef>

#include "checksum/crc_algebra.h"
#include "checksum/crc_kernels.h"

namespace millrace::crc {

namespace {

// kToEnd holds the multipliers of the last kBlocks blocks of a message, in their order. A block with d blocks behind it
// is moved by 128 d bits to the end and by 64 bits more: a CRC is the remainder of message * x^64, and it is cheaper to
// multiply here than there.
template <class Crc, std::size_t kBlocks>
alignas(64) constexpr auto kToEnd = [] {
  std::array<Multiplier, kBlocks> out{};
  for (std::size_t i = 0; i < kBlocks; ++i) out[i] = multiplier(128 * (kBlocks - 1 - i) + 64, kPolynomial<Crc>);
  return out;
}();

template <class Crc, std::size_t kBytes>
constexpr Multiplier kAhead = multiplier(8 * kBytes, kPolynomial<Crc>);

template <class Crc>
constexpr Reduction kReduction = reduction(kPolynomial<Crc>);

// extend_folding requires n >= Vector::kBytes.
template <class Vector, class Crc>
MILLRACE_FOLD_TARGET typename Crc::Value extend_folding(typename Crc::Value crc, const std::byte* p, std::size_t n) {
  using Register = typename Vector::Register;
  constexpr std::size_t kBytes = Vector::kBytes;
  constexpr std::size_t kMany = Vector::kAccumulators;
  // The final sum takes a head and up to 2 * kMany - 1 vectors, or the accumulators and up to kMany - 1 vectors.
  constexpr std::size_t kBlocks = 2 * kMany * kBytes / 16;
  const Multiplier* const end = kToEnd<Crc, kBlocks>.data() + kBlocks;

  const std::size_t head_size = n % kBytes;
  std::size_t vectors = n / kBytes;
  Register head = Vector::zero();
  Register start = Vector::first_bytes(static_cast<typename Crc::Value>(~crc));
  if (head_size != 0) {
    const auto moved = Vector::split(start, head_size);
    head = Vector::add(Vector::split(Vector::load(p), head_size).before, moved.before);
    start = moved.after;
    p += head_size;
  }
  const Register first = Vector::add(Vector::load(p), start);

  Register sum = Vector::zero();
  if (vectors >= 2 * kMany) {  // otherwise the loop would not turn once, and the sum alone is faster
    Register accumulators[kMany];
    accumulators[0] = first;
    if (head_size != 0) {
      accumulators[0] = Vector::multiply_add(head, Vector::multiplier(kAhead<Crc, kBytes>), first);
    }
    for (std::size_t i = 1; i < kMany; ++i) accumulators[i] = Vector::load(p + i * kBytes);
    const Register ahead = Vector::multiplier(kAhead<Crc, kMany * kBytes>);
    for (vectors -= kMany, p += kMany * kBytes; vectors >= kMany; vectors -= kMany, p += kMany * kBytes) {
      for (std::size_t i = 0; i < kMany; ++i) {
        accumulators[i] = Vector::multiply_add(accumulators[i], ahead, Vector::load(p + i * kBytes));
      }
    }
    const Multiplier* const m = end - (vectors + kMany) * kBytes / 16;
    for (std::size_t i = 0; i < kMany; ++i) {
      sum = Vector::multiply_add(accumulators[i], Vector::multipliers(m + i * kBytes / 16), sum);
    }
  } else {
    if (head_size != 0) sum = Vector::multiply_add(head, Vector::multipliers(end - (vectors + 1) * kBytes / 16), sum);
    sum = Vector::multiply_add(first, Vector::multipliers(end - vectors * kBytes / 16), sum);
    --vectors;
    p += kBytes;
  }
  for (; vectors > 0; --vectors, p += kBytes) {
    sum = Vector::multiply_add(Vector::load(p), Vector::multipliers(end - vectors * kBytes / 16), sum);
  }
  return static_cast<typename Crc::Value>(~Vector::reduce(sum, kReduction<Crc>));
}

}  // namespace

}  // namespace millrace::crc
