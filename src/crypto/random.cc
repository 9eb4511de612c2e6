// Public random bytes (salts, nonces) are the kernel's (getrandom), through a small stock per thread: a request costs
// about a microsecond whatever its size, as much as all the rest of a 300-byte record. The stock lies in a page that
// the kernel empties in a forked child (MADV_WIPEONFORK), so parent and child never share bytes, and what was given out
// is zeroed. OpenSSL's own generator would have to be loaded and seeded for 39 bytes, which makes 2 MiB more resident.
// Keys come from it, not from the stock; and everything does where
// MILLRACE_CRYPTO=openssl asks for it.
#include "crypto/random.h"

#include <openssl/rand.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/copy.h"
#include "crypto/kernel_policy.h"
#include "crypto/openssl_cipher.h"

namespace millrace {

namespace {

constexpr std::size_t kStockSize = 1024;

bool generate(ByteSpan out, int (*generator)(unsigned char*, int)) {
  while (!out.empty()) {
    const std::size_t n = std::min<std::size_t>(out.size(), std::numeric_limits<int>::max());
    if (generator(openssl_bytes(out.data()), static_cast<int>(n)) != 1) return false;
    out = out.subspan(n);
  }
  return true;
}

bool generate_public(ByteSpan out) {
  if (openssl_only()) return generate(out, RAND_bytes);
  while (!out.empty()) {
    const ssize_t n = ::getrandom(out.data(), out.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

class Stock {
 public:
  Stock() {
    void* page = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (::madvise(page, sizeof(Page), MADV_WIPEONFORK) != 0) {  // before Linux 4.14: no stock
      ::munmap(page, sizeof(Page));
      return;
    }
    page_ = static_cast<Page*>(page);
  }
  ~Stock() {
    if (page_ == nullptr) return;
    secure_zero(page_->bytes);
    ::munmap(page_, sizeof(Page));
  }
  Stock(const Stock&) = delete;
  Stock& operator=(const Stock&) = delete;

  // take fills `out` from the stock, or says that it cannot.
  bool take(ByteSpan out) {
    if (page_ == nullptr || out.size() > kStockSize) return false;
    if (page_->left < out.size()) {  // also after a fork, which leaves zero here
      page_->left = 0;
      if (!generate_public(page_->bytes)) return false;
      page_->left = kStockSize;
    }
    const ByteSpan given = ByteSpan(page_->bytes).subspan(kStockSize - page_->left, out.size());
    copy_bytes(out, given);
    secure_zero(given);
    page_->left -= out.size();
    return true;
  }

 private:
  struct Page {
    std::size_t left;  // unused bytes, at the end of `bytes`
    std::byte bytes[kStockSize];
  };
  Page* page_ = nullptr;
};

}  // namespace

Status random_bytes(ByteSpan out) {
  thread_local Stock stock;
  if (stock.take(out) || generate_public(out)) return Ok{};
  secure_zero(out);
  return Error{ErrorCode::kIo, "random generator"};
}

Result<SecretBytes> random_secret(std::size_t size) {
  SecretBytes secret(size);
  if (!generate(secret.fill(), RAND_priv_bytes)) return Error{ErrorCode::kIo, "random generator"};
  return secret;
}

}  // namespace millrace
