#include <array>

#include "base/kernel_choice.h"
#include "checksum/crc_algebra.h"
#include "checksum/crc_kernels.h"
#include "millrace/checksum.h"

namespace millrace {

namespace crc {

namespace {

bool always() { return true; }

template <class Crc>
constexpr Kernel<Crc> kKernels[] = {
#if defined(__x86_64__)
    {"x86-vpclmul512", vpclmul512_runs, extend_vpclmul512<Crc>},
    {"x86-vpclmul256", vpclmul256_runs, extend_vpclmul256<Crc>},
    {"x86-pclmul", pclmul_runs, extend_pclmul<Crc>},
#elif defined(__aarch64__)
    {"arm64-pmull", pmull_runs, extend_pmull<Crc>},
#endif
    {"portable", always, extend_portable<Crc>},
};

#if defined(__x86_64__)
template <>
constexpr Kernel<Crc32c> kKernels<Crc32c>[] = {
    {"x86-vpclmul512-crc32q", crc32q_runs, extend_crc32q},
    {"x86-vpclmul512", vpclmul512_runs, extend_vpclmul512<Crc32c>},
    {"x86-vpclmul256", vpclmul256_runs, extend_vpclmul256<Crc32c>},
    {"x86-pclmul", pclmul_runs, extend_pclmul<Crc32c>},
    {"portable", always, extend_portable<Crc32c>},
};
#endif

template <class Crc>
const Kernel<Crc>& chosen() {
  static const Kernel<Crc>& kernel = choose_kernel(kernels<Crc>());
  return kernel;
}

// kBytes[k] is x^(8 * 2^k): what 2^k bytes that follow do to a register.
template <class Crc>
constexpr auto kBytes = [] {
  std::array<std::uint64_t, 64> powers{};
  powers[0] = x_to_the(8, kPolynomial<Crc>);
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = multiply(powers[k - 1], powers[k - 1], kPolynomial<Crc>);
  return powers;
}();

}  // namespace

template <class Crc>
std::span<const Kernel<Crc>> kernels() {
  return kKernels<Crc>;
}

}  // namespace crc

template <class Word, Word kPolynomial>
BasicCrc<Word, kPolynomial>& BasicCrc<Word, kPolynomial>::extend(ByteView bytes) {
  value_ = crc::chosen<BasicCrc>().extend(value_, bytes);
  return *this;
}

// The finished value of a is its register r_a xored with all ones, and so is the register with which b starts when it
// is alone. The two cancel: value(a | b) = value(a) * x^(8 |b|) + value(b).
template <class Word, Word kPolynomial>
BasicCrc<Word, kPolynomial> BasicCrc<Word, kPolynomial>::combine(BasicCrc other, const Length& other_length) const {
  const std::uint64_t moved = crc::multiply(value_, other_length.factor_, kPolynomial);
  return BasicCrc(static_cast<Word>(moved) ^ other.value_);
}

template <class Word, Word kPolynomial>
BasicCrc<Word, kPolynomial>::Length::Length(std::uint64_t bytes) : factor_(std::uint64_t{1} << 63) {
  for (std::size_t k = 0; bytes != 0; ++k, bytes >>= 1) {
    if ((bytes & 1) != 0) factor_ = crc::multiply(factor_, crc::kBytes<BasicCrc>[k], kPolynomial);
  }
}

template <class Word, Word kPolynomial>
std::string_view BasicCrc<Word, kPolynomial>::kernel_name() {
  return crc::chosen<BasicCrc>().name;
}

#define INSTANTIATE(Crc)                                      \
  template class BasicCrc<Crc::Value, crc::kPolynomial<Crc>>; \
  template std::span<const crc::Kernel<Crc>> crc::kernels<Crc>();
MILLRACE_FOR_EACH_CRC(INSTANTIATE)

}  // namespace millrace
