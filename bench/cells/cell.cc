#include "cell.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

namespace millrace::bench {

void fail(const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, what.c_str());
  std::exit(1);
}

Options::Options(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos) fail(argument + ": options are NAME=VALUE");
    given_[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
}

std::string Options::text(const std::string& name) {
  const auto found = given_.find(name);
  if (found == given_.end()) fail("missing option " + name + "=");
  std::string value = std::move(found->second);
  given_.erase(found);
  return value;
}

std::uint64_t Options::number(const std::string& name) {
  const std::string value = text(name);
  char* end = nullptr;
  errno = 0;
  const unsigned long long number = std::strtoull(value.c_str(), &end, 10);
  if (errno != 0 || value.empty() || *end != '\0' || value[0] == '-') fail(name + "=" + value + ": not a number");
  return number;
}

double Options::seconds(const std::string& name) {
  const std::string value = text(name);
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !(number > 0)) fail(name + "=" + value + ": not a time in seconds");
  return number;
}

std::size_t Options::choice(const std::string& name, const std::vector<std::string>& values) {
  const std::string value = text(name);
  const auto found = std::find(values.begin(), values.end(), value);
  if (found == values.end()) fail(name + "=" + value + ": unknown");
  return static_cast<std::size_t>(found - values.begin());
}

void Options::refuse_others() const {
  if (!given_.empty()) fail("unknown option " + given_.begin()->first + "=");
}

Block::Block(std::size_t size) : size_(size) {
  constexpr std::size_t kHugePage = 2 * 1024 * 1024;
  const std::size_t unit = size >= kHugePage / 2 ? kHugePage : 4096;
  const std::size_t capacity = (size + unit - 1) / unit * unit;
  data_ = static_cast<std::byte*>(std::aligned_alloc(unit, std::max(capacity, unit)));
  if (data_ == nullptr) throw std::bad_alloc();
  if (unit == kHugePage) ::madvise(data_, capacity, MADV_HUGEPAGE);
  std::memset(data_, 0, size);
}

Block::~Block() { std::free(data_); }

void fill_random(ByteSpan bytes) {
  std::mt19937_64 generator(20260801);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = generator();
    std::memcpy(bytes.data() + at, &word, std::min(sizeof word, bytes.size() - at));
  }
}

void print(const Measurement& measurement) {
  std::printf("{\"ns\": %.1f, \"allocations\": %.2f, \"bytes_allocated\": %.1f}\n", measurement.ns,
              measurement.allocations, measurement.bytes_allocated);
}

}  // namespace millrace::bench
