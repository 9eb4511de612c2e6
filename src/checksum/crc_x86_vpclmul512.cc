// Folding (crc_fold.h) with VPCLMULQDQ in 512-bit registers: Intel Ice Lake and later servers, AMD Zen 4 and later.
//
// Zen 4, 3.7 GHz, GB/s at 64 B, 256 B, 4 KiB, 64 KiB, 1 MiB, 64 MiB: 16, 36, 55, 57, 57, 31 for each of the three CRCs;
// ISA-L 2.30 has 9.5, 26, 48, 56, 55, 30. In cache this is the limit of the multiplier, 16 bytes a cycle; beyond it, of
// memory. From 64 KiB on, 3, 4, 6 and 8 accumulators are within 4 % of each other; 8 lose 8 % at 4 KiB. 6 leave room
// for processors with a longer latency (not measured).
#if defined(__x86_64__)

#include "base/cpu.h"
#include "checksum/crc_x86_vector512.h"

namespace millrace::crc {

bool vpclmul512_runs() {
  return vpclmul256_runs() && cpu().avx512f && cpu().avx512bw && cpu().avx512dq && cpu().avx512vl && cpu().avx512vbmi;
}

template <class Crc>
typename Crc::Value extend_vpclmul512(typename Crc::Value crc, ByteView bytes) {
  if (bytes.size() < Vector512::kBytes) return extend_pclmul<Crc>(crc, bytes);
  return extend_folding<Vector512, Crc>(crc, bytes.data(), bytes.size());
}

#define INSTANTIATE(Crc) template Crc::Value extend_vpclmul512<Crc>(Crc::Value, ByteView);
MILLRACE_FOR_EACH_CRC(INSTANTIATE)

}  // namespace millrace::crc

#endif
