// Cell: a TDF of `size` bytes, pushed in chunks of `chunk` bytes through the writer into nothing, once; or (way=bare)
// what cannot be saved of it: AES-256-GCM and CRC-32 over the same chunks, without a format, a manifest or an engine.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "cell.h"
#include "crypto/aes_gcm.h"
#include "millrace/checksum.h"
#include "millrace/tdf.h"

using namespace millrace;

namespace {

tdf::Writer make_writer(std::uint64_t segment, bool hs256) {
  const tdf::KeyPair pair = bench::must(tdf::generate_key_pair("ec:secp256r1"));
  tdf::WriterOptions options;
  options.targets.push_back(
      {"https://kas.example.com", "e1", bench::must(tdf::KasPublicKey::parse(as_bytes(pair.public_key)))});
  options.segment_size = segment;
  options.portable = false;  // larger segments than the SDKs read, too
  if (hs256) options.segment_hash = tdf::SegmentHash::kHs256;
  return bench::must(tdf::Writer::create(std::move(options)));
}

// The file goes nowhere, through memory as large as a socket's or a file's buffer would be.
void push(const tdf::Writer& writer, std::uint64_t size, ByteView chunk) {
  NullSink nowhere;
  const auto sink = bench::must(writer.sink(nowhere, size));
  for (std::uint64_t left = size; left > 0;) {
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(left, chunk.size()));
    bench::must(sink->write(chunk.first(n)));
    left -= n;
  }
  bench::must(sink->finish());
  if (nowhere.count() != sink->info().file_size || nowhere.count() <= size) bench::fail("wrong output size");
}

void bare(std::uint64_t size, ByteView chunk) {
  constexpr std::byte kKey[32] = {std::byte{7}};
  const AesGcm gcm = bench::must(AesGcm::create(kKey));
  std::vector<std::byte> sealed(chunk.size() + kGcmTagSize);
  Crc32 crc;
  std::byte nonce[kGcmNonceSize] = {};
  for (std::uint64_t left = size; left > 0;) {
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>(left, chunk.size()));
    for (std::size_t i = 0; i < 8; ++i) nonce[i] = static_cast<std::byte>(left >> (8 * i));
    const ByteSpan out = ByteSpan(sealed).first(n + kGcmTagSize);
    bench::must(gcm.seal(nonce, {}, chunk.first(n), out));
    crc.extend(out);
    left -= n;
  }
  if (crc.value() == 0) bench::fail("not a checksum");  // one in 2^32: the compiler must not know it
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options options(argc, argv);
  const std::size_t way = options.choice("way", {"gmac", "hs256", "bare"});
  const std::uint64_t size = options.number("size");
  const std::uint64_t segment = options.number("segment");
  const std::size_t chunk_size = options.number("chunk");
  options.refuse_others();
  if (chunk_size == 0) bench::fail("chunk= is out of range");

  std::vector<std::byte> chunk(chunk_size);
  bench::fill_random(chunk);
  const tdf::Writer writer = make_writer(way == 2 ? tdf::kDefaultSegmentSize : segment, way == 1);
  const auto start = std::chrono::steady_clock::now();
  if (way == 2) {
    bare(size, chunk);
  } else {
    push(writer, size, chunk);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("{\"seconds\": %.6f, \"crc\": \"%s\", \"gcm\": \"%s\"}\n", seconds,
              std::string(Crc32::kernel_name()).c_str(), std::string(aes_gcm_kernel_name()).c_str());
}
