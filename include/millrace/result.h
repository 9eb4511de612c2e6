// Result and Error: how every call here reports failure. Nothing in the library throws by design; std::bad_alloc may
// pass through. Result is the small subset of C++23's std::expected that the library needs.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace millrace {

enum class ErrorCode : std::uint8_t {
  kInvalidArgument,  // the caller's parameters; the same call cannot succeed
  kMalformed,        // the input does not follow the format
  kNotAuthentic,     // wrong key, or altered, reordered or truncated input: indistinguishable on purpose
  kLimitExceeded,    // a limit of the format or of the configuration
  kIo,               // the environment failed; detail is errno
};

struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string_view where = {};  // string literal naming the step: "tink header", "keyset: key.status"
  std::uint64_t offset = 0;     // in the input, when it helps
  int detail = 0;               // errno when code is kIo; otherwise the 1-based element at fault (key 2), 0 for none
};

// describe returns one line of text for people: the step, what kind of failure it is, the place. It holds nothing
// secret.
std::string describe(const Error& error);

// Result holds a T or an Error. Reading the one it does not hold aborts the process.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit, as std::expected
  Result(Error error) : state_(std::in_place_index<1>, error) {}         // NOLINT

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return *value_or_abort(); }
  const T& operator*() const& { return *const_cast<Result*>(this)->value_or_abort(); }
  T&& operator*() && { return std::move(*value_or_abort()); }
  T* operator->() { return value_or_abort(); }
  const T* operator->() const { return const_cast<Result*>(this)->value_or_abort(); }

  const Error& error() const {
    const Error* e = std::get_if<1>(&state_);
    if (e == nullptr) std::abort();
    return *e;
  }

 private:
  T* value_or_abort() {
    T* v = std::get_if<0>(&state_);
    if (v == nullptr) std::abort();
    return v;
  }

  std::variant<T, Error> state_;
};

struct Ok {};
using Status = Result<Ok>;

}  // namespace millrace

// MR_TRY(lhs, expr) assigns the value of a Result to `lhs`, or returns its error from the enclosing function.
// MR_TRY(expr) does the same for a Status, which has no value to keep.
#define MR_TRY_CONCAT_(a, b) a##b
#define MR_TRY_NAME_(a, b) MR_TRY_CONCAT_(a, b)
#define MR_TRY_1_(expr)                                                   \
  do {                                                                    \
    if (auto mr_status_ = (expr); !mr_status_) return mr_status_.error(); \
  } while (false)
#define MR_TRY_2_(lhs, expr)                                                                  \
  auto MR_TRY_NAME_(mr_result_, __LINE__) = (expr);                                           \
  if (!MR_TRY_NAME_(mr_result_, __LINE__)) return MR_TRY_NAME_(mr_result_, __LINE__).error(); \
  lhs = *std::move(MR_TRY_NAME_(mr_result_, __LINE__))
#define MR_TRY_PICK_(_1, _2, name, ...) name
#define MR_TRY(...) MR_TRY_PICK_(__VA_ARGS__, MR_TRY_2_, MR_TRY_1_, )(__VA_ARGS__)
