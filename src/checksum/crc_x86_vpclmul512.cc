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
