// seal_into_sink: encrypt while your own code decides where the bytes go. Here: a Sink that sends them in datagrams of
// at most 1400 bytes (and counts them). Prints the count and checks that the stream opens again.
#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "millrace/tink.h"

using namespace millrace;

class DatagramSink final : public Sink {
 public:
  ByteSpan scratch() override { return buffer_; }  // lets a producer build its bytes where they will be sent from
  Status write(ByteView bytes) override {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), buffer_.size()))) {
      const ByteView datagram = bytes.first(std::min(bytes.size(), buffer_.size()));
      received_.insert(received_.end(), datagram.begin(), datagram.end());  // stands for send()
      ++count_;
    }
    return Ok{};
  }
  Status finish() override { return Ok{}; }
  std::size_t count() const { return count_; }
  ByteView received() const { return received_; }

 private:
  std::array<std::byte, 1400> buffer_;
  std::vector<std::byte> received_;
  std::size_t count_ = 0;
};

static Status run() {
  MR_TRY(const tink::Keyset keyset, tink::Keyset::generate(*tink::find_template("AES128_GCM_HKDF_4KB")));
  MR_TRY(const tink::StreamingAead aead, tink::StreamingAead::create(keyset));
  DatagramSink datagrams;
  MR_TRY(const std::unique_ptr<Sink> stream, aead.encrypt_sink(datagrams, as_bytes("telemetry")));
  for (int i = 0; i < 1000; ++i) MR_TRY(stream->write(as_bytes("temperature 21.5 C, humidity 40 %\n")));
  MR_TRY(stream->finish());  // without this, nobody can open the end of the stream

  MemorySource source(datagrams.received());
  MR_TRY(const auto opened, aead.decrypt_source(source, as_bytes("telemetry")));
  NullSink nowhere;
  MR_TRY(const std::uint64_t size, pump(*opened, nowhere));
  std::printf("%zu datagrams, %zu bytes of ciphertext, %llu of plaintext\n", datagrams.count(),
              datagrams.received().size(), static_cast<unsigned long long>(size));
  return Ok{};
}

int main() {
  if (const Status status = run(); !status) return std::fprintf(stderr, "%s\n", describe(status.error()).c_str()), 1;
  return 0;
}
