// The native AES-GCM and AES-CTR kernels (internal to this folder): what a kernel is and what memory it works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "millrace/bytes.h"

namespace millrace {

// AesRoundKeys is the encryption key schedule of FIPS 197, in memory order.
struct AesRoundKeys {
  std::byte keys[15][16];  // 11 of them for a 128-bit key
  bool is_256;
};

// GcmKey is everything that GCM derives from a key. The powers of H stand in falling order, so that those for the last
// n blocks of a message start at powers[kGcmPowers - n]; the zero blocks behind H^1 let a vector that reaches past the
// end multiply its surplus lanes by zero. Enough for a chunk of 32 blocks, or for 32 and the block of lengths.
inline constexpr std::size_t kGcmPowers = 36;
struct GcmKey {
  alignas(64) std::byte powers[kGcmPowers + 3][16];
  AesRoundKeys aes;
};

// GcmProgress is the place inside a message: the hash so far and the next counter block.
struct GcmProgress {
  std::byte hash[16];  // as the kernel keeps it (byte-reversed)
  std::byte counter[16];
};

// A kernel never reads or writes a byte outside the spans. Input and output are the same memory or disjoint.
struct AesGcmKernel {
  std::string_view name;
  bool (*runnable)();
  // set_up derives everything from a key of 16 or 32 bytes.
  void (*set_up)(GcmKey& key, ByteView bytes);
  // seal and open transform a whole message and write the tag that belongs to it; who opens compares it.
  void (*seal)(const GcmKey& key, const std::byte* nonce, ByteView associated_data, ByteView in, std::byte* out,
               std::byte* tag);
  void (*open)(const GcmKey& key, const std::byte* nonce, ByteView associated_data, ByteView in, std::byte* out,
               std::byte* tag);
  // The same in steps, for GcmSealer: start, absorb the associated data, seal whole blocks. key_stream encrypts the
  // next counter block and advances it; the sealer xors and absorbs a broken block itself. finish takes both lengths.
  void (*start)(GcmProgress& progress, const std::byte* nonce);
  void (*absorb)(const GcmKey& key, GcmProgress& progress, ByteView bytes);  // the last block is padded with zeros
  void (*seal_blocks)(const GcmKey& key, GcmProgress& progress, ByteView in, std::byte* out);
  void (*key_stream)(const GcmKey& key, GcmProgress& progress, std::byte* block);
  void (*finish)(const GcmKey& key, GcmProgress& progress, std::uint64_t associated_size, std::uint64_t size,
                 std::byte* tag);
};

struct AesCtrKernel {
  std::string_view name;
  bool (*runnable)();
  void (*set_up)(AesRoundKeys& key, ByteView bytes);
  // apply xors with the key stream from the counter block on; the counter is 128 bits, big-endian.
  void (*apply)(const AesRoundKeys& key, const std::byte* counter_block, ByteView in, std::byte* out);
};

extern const AesGcmKernel kAesGcmVaes512;
extern const AesGcmKernel kAesGcmVaes256;
extern const AesCtrKernel kAesCtrVaes512;
extern const AesCtrKernel kAesCtrVaes256;

// Those that are compiled in, best first. Both lists are empty where there is no native kernel.
std::span<const AesGcmKernel* const> aes_gcm_native_kernels();
std::span<const AesCtrKernel* const> aes_ctr_native_kernels();

}  // namespace millrace
