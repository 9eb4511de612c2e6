// Peers are found with dlopen while the command runs: nobody needs a library in order to be compared with it.
#include <dlfcn.h>

#include <cstdint>

#include "bench.h"

namespace millrace::cli::bench {

namespace {

// function returns null if the library, or the function in it, is not there. Libraries stay loaded.
template <class Function>
Function* function(const char* library, const char* name) {
  void* const handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle, name));
}

constexpr const char* kIsal = "libisal.so.2";
constexpr const char* kZlib = "libz.so.1";
constexpr const char* kOpenssl = "libcrypto.so.3";

const unsigned char* octets(ByteView bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

}  // namespace

void add_peers(std::string_view family, Buffers buffers, std::vector<Contestant>& list) {
  const auto add = [&](std::string_view name, auto run) {
    list.push_back({std::string(family), std::string(name), Contestant::Kind::kPeer, std::move(run)});
  };
  const unsigned char* const in = octets(buffers.bytes);
  auto* const out = reinterpret_cast<unsigned char*>(buffers.out.data());
  if (family == "crc32") {
    using Isal = std::uint32_t(std::uint32_t, const unsigned char*, std::uint64_t);
    if (const auto crc = function<Isal>(kIsal, "crc32_gzip_refl"))
      add("isa-l", repeated([=](std::size_t n) { return crc(0, in, n); }));
    using Zlib = unsigned long(unsigned long, const unsigned char*, std::size_t);
    if (const auto crc = function<Zlib>(kZlib, "crc32_z"))
      add("zlib", repeated([=](std::size_t n) { return crc(0, in, n); }));
  } else if (family == "crc32c") {
    using Isal = unsigned(const unsigned char*, int, unsigned);
    if (const auto crc = function<Isal>(kIsal, "crc32_iscsi"))
      add("isa-l", repeated([=](std::size_t n) { return crc(in, static_cast<int>(n), 0); }));
  } else if (family == "crc64nvme") {
    using Isal = std::uint64_t(std::uint64_t, const unsigned char*, std::uint64_t);
    if (const auto crc = function<Isal>(kIsal, "crc64_rocksoft_refl"))  // since 2.31
      add("isa-l", repeated([=](std::size_t n) { return crc(0, in, n); }));
  } else if (family == "base64-encode") {
    using Openssl = int(unsigned char*, const unsigned char*, int);
    if (const auto encode = function<Openssl>(kOpenssl, "EVP_EncodeBlock"))
      add("openssl", repeated([=](std::size_t n) { return encode(out, in, static_cast<int>(n)); }, 3));
  } else if (family == "base64-decode") {
    using Openssl = int(unsigned char*, const unsigned char*, int);
    const auto* const text = reinterpret_cast<const unsigned char*>(buffers.text.data());
    if (const auto decode = function<Openssl>(kOpenssl, "EVP_DecodeBlock"))
      add("openssl", repeated([=](std::size_t n) { return decode(out, text, static_cast<int>(n / 3 * 4)); }, 3));
  }
}

}  // namespace millrace::cli::bench
