// Cell: one stream from memory to memory, in one call (write=0) or pushed in writes of `write` bytes.
#include <algorithm>

#include "cell.h"
#include "millrace/tink.h"

using namespace millrace;

namespace {

// BlockSink collects into memory that is there already, so that no cell measures the growth of its output.
class BlockSink final : public Sink {
 public:
  explicit BlockSink(ByteSpan room) : room_(room) {}
  ByteSpan scratch() override { return room_.subspan(used_); }
  Status write(ByteView bytes) override {
    if (bytes.data() != room_.data() + used_) std::copy(bytes.begin(), bytes.end(), room_.data() + used_);
    used_ += bytes.size();
    return Ok{};
  }
  Status finish() override { return Ok{}; }
  std::size_t used() const { return used_; }

 private:
  ByteSpan room_;
  std::size_t used_ = 0;
};

void push(Sink& stage, ByteView input, std::size_t write) {
  while (!input.empty()) {
    const std::size_t n = std::min(write, input.size());
    bench::must(stage.write(input.first(n)));
    input = input.subspan(n);
  }
  bench::must(stage.finish());
}

}  // namespace

int main(int argc, char** argv) {
  bench::Options options(argc, argv);
  const tink::Template* const chosen = tink::find_template(options.text("template"));
  const bool decrypting = options.choice("direction", {"encrypt", "decrypt"}) == 1;
  const std::size_t size = options.number("size");
  const std::size_t write = options.number("write");
  const double seconds = options.seconds("seconds");
  options.refuse_others();
  if (chosen == nullptr) bench::fail("no such template");

  const tink::Keyset keyset = bench::must(tink::Keyset::generate(*chosen));
  const tink::StreamingAead aead = bench::must(tink::StreamingAead::create(keyset));
  const bench::Block plaintext(size);
  bench::fill_random(plaintext.bytes());
  const bench::Block sealed(bench::must(aead.encrypted_size(size)));
  bench::must(aead.encrypt(plaintext.bytes(), {}, sealed.bytes()));

  // One byte of room to spare: a stage may ask for scratch at the end of its output.
  const bench::Block output(std::max(sealed.bytes().size(), size) + 1);
  const ByteView input = decrypting ? sealed.bytes() : plaintext.bytes();
  const std::size_t expected = decrypting ? size : sealed.bytes().size();
  const auto in_one_call = [&] {
    const std::size_t n =
        bench::must(decrypting ? aead.decrypt(input, {}, output.bytes()) : aead.encrypt(input, {}, output.bytes()));
    if (n != expected) bench::fail("wrong output size");
  };
  const auto in_writes = [&] {
    BlockSink sink(output.bytes());
    const auto stage = bench::must(decrypting ? aead.decrypt_sink(sink, {}) : aead.encrypt_sink(sink, {}));
    push(*stage, input, write);
    if (sink.used() != expected) bench::fail("wrong output size");
  };
  bench::print(write == 0 ? bench::measure(seconds, in_one_call) : bench::measure(seconds, in_writes));
}
