// Cell: one small record, encrypted or decrypted by one call, with a primitive that is made once.
#include "cell.h"
#include "millrace/tink.h"

using namespace millrace;

int main(int argc, char** argv) {
  bench::Options options(argc, argv);
  const tink::Template* const chosen = tink::find_template(options.text("template"));
  const bool decrypting = options.choice("direction", {"encrypt", "decrypt"}) == 1;
  const std::size_t size = options.number("size");
  const double seconds = options.seconds("seconds");
  options.refuse_others();
  if (chosen == nullptr) bench::fail("no such template");

  const tink::Keyset keyset = bench::must(tink::Keyset::generate(*chosen));
  const tink::StreamingAead aead = bench::must(tink::StreamingAead::create(keyset));
  const ByteView associated_data = as_bytes("associated data");
  std::vector<std::byte> plaintext(size);
  bench::fill_random(plaintext);
  std::vector<std::byte> sealed(bench::must(aead.encrypted_size(size)));
  bench::must(aead.encrypt(plaintext, associated_data, sealed));
  std::vector<std::byte> opened(tink::StreamingAead::max_decrypted_size(sealed.size()));

  if (decrypting) {
    bench::print(bench::measure(seconds, [&] { bench::must(aead.decrypt(sealed, associated_data, opened)); }));
  } else {
    bench::print(bench::measure(seconds, [&] { bench::must(aead.encrypt(plaintext, associated_data, sealed)); }));
  }
}
