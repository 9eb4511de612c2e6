// The kernels: the inner loops of base64, over whole groups (3 bytes <-> 4 digits) and nothing else. Padding, short
// last groups, verdicts and offsets belong to Base64Encoder and Base64Decoder, so they are the same whichever kernel
// runs.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "millrace/base64.h"

namespace millrace::base64 {

struct Kernel {
  std::string_view name;
  bool (*runnable)();  // asks CPU and system
  // encode reads 3 * groups bytes and writes 4 * groups digits, and touches nothing beside them.
  void (*encode)(const std::byte* in, std::size_t groups, char* out, Base64Alphabet alphabet);
  // decode returns how many groups there are before the first one that holds a character which is no digit ("=" is
  // none), `groups` if all are good. It reads within 4 * groups characters and writes within 3 * groups bytes; those of
  // the groups returned are final, what it left in the others means nothing.
  std::size_t (*decode)(const char* in, std::size_t groups, std::byte* out, Base64Alphabet alphabet);
};

// Compiled in, best first, "portable" last.
std::span<const Kernel> kernels();
// The one that base64_encode, base64_decode and their streaming forms run; chosen once.
const Kernel& kernel();

void encode_portable(const std::byte* in, std::size_t groups, char* out, Base64Alphabet alphabet);
std::size_t decode_portable(const char* in, std::size_t groups, std::byte* out, Base64Alphabet alphabet);

#if defined(__x86_64__)
void encode_avx2(const std::byte* in, std::size_t groups, char* out, Base64Alphabet alphabet);
std::size_t decode_avx2(const char* in, std::size_t groups, std::byte* out, Base64Alphabet alphabet);
void encode_avx512vbmi(const std::byte* in, std::size_t groups, char* out, Base64Alphabet alphabet);
std::size_t decode_avx512vbmi(const char* in, std::size_t groups, std::byte* out, Base64Alphabet alphabet);
#elif defined(__aarch64__) && defined(__ARM_NEON)
void encode_neon(const std::byte* in, std::size_t groups, char* out, Base64Alphabet alphabet);
std::size_t decode_neon(const char* in, std::size_t groups, std::byte* out, Base64Alphabet alphabet);
#endif

}  // namespace millrace::base64
