// Which implementation of a cipher is used, and where a native one keeps its key (internal to this folder).
//
// A family is its native kernels, best first, then OpenSSL, which goes by the names "openssl" and, as the fallback that
// every family has, "portable". MILLRACE_CRYPTO=openssl leaves all of the cryptography to OpenSSL, whatever else is
// asked for: for installations that must use their validated module and no other code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "base/kernel_choice.h"
#include "millrace/secret.h"

namespace millrace {

// openssl_only is true when MILLRACE_CRYPTO=openssl is set. It is read once in the life of the process.
bool openssl_only();

template <class Kernel>
struct CryptoChoice {
  std::string_view name;
  bool (*runnable)();
  const Kernel* native;  // null: OpenSSL
};

template <class Kernel>
std::vector<CryptoChoice<Kernel>> crypto_choices(std::span<const Kernel* const> native) {
  std::vector<CryptoChoice<Kernel>> list;
  for (const Kernel* kernel : native) list.push_back({kernel->name, kernel->runnable, kernel});
  constexpr auto always = [] { return true; };
  list.push_back({"openssl", always, nullptr});
  list.push_back({"portable", always, nullptr});
  return list;
}

template <class Kernel>
const CryptoChoice<Kernel>& choose_crypto(std::span<const CryptoChoice<Kernel>> choices) {
  return choose_kernel(choices, openssl_only() ? "openssl" : wanted_kernels());
}

// find_crypto returns null for a name that is not compiled in or cannot run here.
template <class Kernel>
const CryptoChoice<Kernel>* find_crypto(std::span<const CryptoChoice<Kernel>> choices, std::string_view name) {
  for (const auto& choice : choices) {
    if (choice.name == name && choice.runnable()) return &choice;
  }
  return nullptr;
}

template <class Kernel>
std::string_view crypto_name(const CryptoChoice<Kernel>& choice) {
  return choice.native != nullptr ? choice.name : "openssl";
}

template <class Kernel>
std::vector<std::string_view> crypto_names(std::span<const CryptoChoice<Kernel>> choices) {
  std::vector<std::string_view> names;
  for (const auto& choice : choices) {
    if (choice.runnable() && choice.name != "portable") names.push_back(choice.name);
  }
  return names;
}

// KeyMemory holds a plain T on a cache line and cleanses it at the end. It aligns by itself because allocating an
// over-aligned object costs several times an ordinary allocation, which a 300-byte record would feel.
template <class T>
class KeyMemory {
 public:
  KeyMemory() = default;
  KeyMemory(const KeyMemory&) = delete;
  KeyMemory& operator=(const KeyMemory&) = delete;
  ~KeyMemory() { secure_zero(bytes_); }
  T& get() { return *std::launder(reinterpret_cast<T*>(const_cast<std::byte*>(aligned()))); }
  const T& get() const { return *std::launder(reinterpret_cast<const T*>(aligned())); }

 private:
  static_assert(std::is_trivial_v<T>);
  static constexpr std::size_t kLine = 64;
  const std::byte* aligned() const {
    return bytes_ + (kLine - reinterpret_cast<std::uintptr_t>(bytes_) % kLine) % kLine;
  }
  std::byte bytes_[sizeof(T) + kLine - 1];
};

}  // namespace millrace
