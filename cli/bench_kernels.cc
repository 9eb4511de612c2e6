#include <algorithm>
#include <cstring>
#include <memory>

#include "bench.h"
#include "checksum/crc_kernels.h"
#include "crypto/aes_ctr.h"
#include "crypto/aes_gcm.h"
#include "crypto/kernel_policy.h"
#include "encoding/base64_kernels.h"
#include "failure.h"
#include "millrace/digest.h"

namespace millrace::cli::bench {

namespace {

using Kind = Contestant::Kind;

// A key and a nonce that protect nothing: the same bytes are sealed again and again.
constexpr std::byte kKey[32] = {};
constexpr std::byte kNonce[16] = {};

Kind kind_of(std::string_view name, std::string_view used) { return name == used ? Kind::kInUse : Kind::kMillrace; }

template <class Crc>
void add_crc(std::string_view family, Buffers buffers, std::vector<Contestant>& list) {
  for (const crc::Kernel<Crc>& kernel : crc::kernels<Crc>()) {
    if (!kernel.runnable()) continue;
    list.push_back(
        {std::string(family), std::string(kernel.name), kind_of(kernel.name, Crc::kernel_name()),
         repeated([extend = kernel.extend, in = buffers.bytes](std::size_t n) { return extend(0, in.first(n)); })});
  }
}

void add_base64(bool encode, std::string_view family, Buffers buffers, std::vector<Contestant>& list) {
  for (const base64::Kernel& kernel : base64::kernels()) {
    if (!kernel.runnable()) continue;
    Contestant contestant{
        std::string(family), std::string(kernel.name), kind_of(kernel.name, base64_kernel_name()), {}};
    if (encode) {
      contestant.run = repeated(
          [run = kernel.encode, buffers](std::size_t n) {
            run(buffers.bytes.data(), n / 3, reinterpret_cast<char*>(buffers.out.data()), Base64Alphabet::kStandard);
            return n;
          },
          3);
    } else {
      contestant.run = repeated(
          [run = kernel.decode, buffers](std::size_t n) {
            return run(buffers.text.data(), n / 3, buffers.out.data(), Base64Alphabet::kStandard);
          },
          3);
    }
    list.push_back(std::move(contestant));
  }
}

// Where all cryptography is left to OpenSSL, nothing else is run here either.
std::vector<std::string_view> allowed(std::vector<std::string_view> names) {
  if (openssl_only()) std::erase_if(names, [](std::string_view name) { return name != "openssl"; });
  return names;
}

void add_gcm(std::size_t key_size, std::string_view family, Buffers buffers, std::vector<Contestant>& list) {
  for (const std::string_view name : allowed(aes_gcm_kernel_names())) {
    const auto gcm =
        std::make_shared<AesGcm>(value_or_fail(AesGcm::create_with(name, ByteView(kKey).first(key_size)), family));
    list.push_back({std::string(family), std::string(name), kind_of(name, aes_gcm_kernel_name()),
                    repeated([gcm, buffers](std::size_t n) {
                      return gcm->seal(ByteView(kNonce).first(kGcmNonceSize), {}, buffers.bytes.first(n),
                                       buffers.out.first(n + kGcmTagSize));
                    })});
  }
}

void add_ctr(std::string_view family, Buffers buffers, std::vector<Contestant>& list) {
  for (const std::string_view name : allowed(aes_ctr_kernel_names())) {
    const auto ctr = std::make_shared<AesCtr>(value_or_fail(AesCtr::create_with(name, kKey), family));
    list.push_back({std::string(family), std::string(name), kind_of(name, aes_ctr_kernel_name()),
                    repeated([ctr, buffers](std::size_t n) {
                      return ctr->apply(kNonce, buffers.bytes.first(n), buffers.out.first(n));
                    })});
  }
}

void add_sha256(std::string_view family, Buffers buffers, std::vector<Contestant>& list) {
  const auto digest = std::make_shared<Digest>(value_or_fail(Digest::create(DigestAlgorithm::kSha256), family));
  list.push_back({std::string(family), "openssl", Kind::kInUse, repeated([digest, buffers](std::size_t n) {
                    digest->update(buffers.bytes.first(n));
                    std::byte value[32];
                    return digest->finish(value).has_value();
                  })});
}

struct Family {
  std::string_view name;
  void (*add)(std::string_view family, Buffers buffers, std::vector<Contestant>& list);
};

constexpr Family kFamilies[] = {
    {"crc32", add_crc<Crc32>},
    {"crc32c", add_crc<Crc32c>},
    {"crc64nvme", add_crc<Crc64Nvme>},
    {"base64-encode", [](auto... rest) { add_base64(true, rest...); }},
    {"base64-decode", [](auto... rest) { add_base64(false, rest...); }},
    {"aes-256-gcm", [](auto... rest) { add_gcm(32, rest...); }},
    {"aes-128-gcm", [](auto... rest) { add_gcm(16, rest...); }},
    {"aes-256-ctr", add_ctr},
    {"sha256", add_sha256},
};

}  // namespace

std::vector<std::string_view> kernel_families() {
  std::vector<std::string_view> names;
  for (const Family& family : kFamilies) names.push_back(family.name);
  return names;
}

std::vector<Contestant> contestants(const std::vector<std::string>& families, Buffers buffers) {
  std::vector<Contestant> list;
  list.push_back({"memcpy", "memcpy", Kind::kPeer, repeated([buffers](std::size_t n) {
                    return std::memcpy(buffers.out.data(), buffers.bytes.data(), n);
                  })});
  for (const Family& family : kFamilies) {
    if (std::find(families.begin(), families.end(), family.name) == families.end()) continue;
    family.add(family.name, buffers, list);
    add_peers(family.name, buffers, list);
  }
  return list;
}

}  // namespace millrace::cli::bench
