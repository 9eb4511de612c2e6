// A program of somebody else's: a record encrypted and decrypted with a fresh keyset, through all the libraries.
#include <cstdio>
#include <string_view>
#include <vector>

#include "millrace/tink.h"

namespace mr = millrace;

static mr::Result<bool> round_trip(std::string_view record) {
  MR_TRY(const mr::tink::Keyset keyset, mr::tink::Keyset::generate(*mr::tink::find_template("AES256_GCM_HKDF_4KB")));
  MR_TRY(const mr::tink::StreamingAead aead, mr::tink::StreamingAead::create(keyset));
  const mr::ByteView plaintext = std::as_bytes(std::span(record));
  MR_TRY(const std::uint64_t size, aead.encrypted_size(plaintext.size()));
  std::vector<std::byte> sealed(static_cast<std::size_t>(size));
  MR_TRY(const std::size_t written, aead.encrypt(plaintext, {}, sealed));
  std::vector<std::byte> opened(mr::tink::StreamingAead::max_decrypted_size(written));
  MR_TRY(const std::size_t read, aead.decrypt(mr::ByteView(sealed).first(written), {}, opened));
  opened.resize(read);
  return std::vector<std::byte>(plaintext.begin(), plaintext.end()) == opened;
}

int main() {
  const mr::Result<bool> same = round_trip("a record");
  if (!same) std::fprintf(stderr, "%s\n", mr::describe(same.error()).c_str());
  return same && *same ? 0 : 1;
}
