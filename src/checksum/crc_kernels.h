// The kernels of the CRCs and the list of CRCs (internal to this folder and its tests, benchmark and fuzz target).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "millrace/checksum.h"

// Every CRC there is. Each kernel file instantiates its kernel for all of them, so another CRC is its alias in
// checksum.h and its name here.
#define MILLRACE_FOR_EACH_CRC(apply) apply(Crc32) apply(Crc32c) apply(Crc64Nvme)

namespace millrace::crc {

// kPolynomial<Crc> is the polynomial of a CRC as a lane (crc_algebra.h).
template <class Crc>
inline constexpr std::uint64_t kPolynomial = 0;
template <class Word, Word kReflected>
inline constexpr std::uint64_t kPolynomial<BasicCrc<Word, kReflected>> = kReflected;

template <class Crc>
struct Kernel {
  using Value = typename Crc::Value;
  std::string_view name;
  bool (*runnable)();                          // asks CPU and OS
  Value (*extend)(Value crc, ByteView bytes);  // finished values in and out
};

// kernels returns those that are compiled in: best first, "portable" last.
template <class Crc>
std::span<const Kernel<Crc>> kernels();

// The kernels, each in the file of its name. A kernel hands what is too short for it to the one below. The portable one
// always runs; of the others, only those whose question is answered with yes may be called.
template <class Crc>
typename Crc::Value extend_portable(typename Crc::Value crc, ByteView bytes);
#if defined(__x86_64__)
bool pclmul_runs();
template <class Crc>
typename Crc::Value extend_pclmul(typename Crc::Value crc, ByteView bytes);
bool vpclmul256_runs();
template <class Crc>
typename Crc::Value extend_vpclmul256(typename Crc::Value crc, ByteView bytes);
bool vpclmul512_runs();
template <class Crc>
typename Crc::Value extend_vpclmul512(typename Crc::Value crc, ByteView bytes);
bool crc32q_runs();  // CRC-32C alone: the processor has an instruction for it
std::uint32_t extend_crc32q(std::uint32_t crc, ByteView bytes);
#elif defined(__aarch64__)
bool pmull_runs();
template <class Crc>
typename Crc::Value extend_pmull(typename Crc::Value crc, ByteView bytes);
#endif

}  // namespace millrace::crc
