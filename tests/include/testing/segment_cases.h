// The case list and the attack list that every segment format goes through.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "testing/segment_format.h"

namespace millrace::testing {

// Plaintext sizes around every boundary of the first segments, and `many` whole segments with a rest.
inline std::vector<std::size_t> plain_sizes(const SegmentLayout& layout, std::size_t many) {
  const std::size_t first = layout.plain_capacity(0);
  const std::size_t full = layout.plain_capacity(1);
  std::set<std::size_t> sizes = {0, 1};
  for (const std::size_t segments : {std::size_t{0}, std::size_t{1}, many}) {
    const std::size_t boundary = first + segments * full;
    sizes.insert({boundary - 1, boundary, boundary + 1});
  }
  // What a layout without a shorter first segment would have as boundaries.
  sizes.insert({full, full + 1, 2 * full, first + many * full + full / 2});
  return {sizes.begin(), sizes.end()};
}

inline std::vector<std::size_t> plain_sizes(const SegmentFormat& format, std::size_t many) {
  return format.listed.empty() ? plain_sizes(format.layout, many) : std::vector<std::size_t>{format.listed_size()};
}

// Steps of consumers and producers.
inline std::vector<std::size_t> steps(const SegmentLayout& layout) {
  const std::size_t segment = layout.segment_size();
  if (segment <= 256) return {1, 17, segment - 1, segment, segment + 1, 3 * segment + 5, std::size_t{1} << 30};
  return {segment - 1, segment, std::size_t{1} << 30};
}

struct Attack {
  std::string name;
  Bytes stream;
};

// Plaintext sizes of streams to attack, of at least four segments: with a short and with a full last one.
inline std::vector<std::size_t> attacked_sizes(const SegmentFormat& format) {
  if (!format.listed.empty()) return {format.listed_size()};
  const std::size_t first = format.layout.plain_capacity(0);
  const std::size_t full = format.layout.plain_capacity(1);
  return {first + 2 * full + full / 2, first + 3 * full};
}

// Streams made from a good one of at least four segments, all of which must be refused.
inline std::vector<Attack> attacks(const SegmentFormat& format, const Bytes& stream) {
  std::vector<Attack> list;
  const SegmentLayout& layout = format.layout;
  std::vector<std::size_t> starts = {0, layout.header_size()};
  for (std::uint64_t i = 1; layout.cipher_offset(i) < stream.size(); ++i) {
    starts.push_back(static_cast<std::size_t>(layout.cipher_offset(i)));
  }
  starts.push_back(stream.size());
  MR_CHECK(starts.size() >= 6);
  const std::size_t count = starts.size() - 2;
  const auto segment = [&](std::size_t i) { return slice(stream, starts[i + 1], starts[i + 2] - starts[i + 1]); };
  const auto build = [&](std::string name, const std::vector<std::size_t>& order) {
    Attack attack{std::move(name), format.header};
    for (const std::size_t i : order) append(attack.stream, segment(i));
    list.push_back(std::move(attack));
  };

  for (const std::size_t at : starts) {
    for (const std::size_t size : {at - 1, at, at + 1}) {
      if (size >= stream.size()) continue;
      list.push_back({"cut to " + std::to_string(size), to_bytes(slice(stream, 0, size))});
    }
  }
  for (std::size_t i = 0; i < count; ++i) {  // in the body of every segment, and within its tag
    const std::size_t size = starts[i + 2] - 2;
    list.push_back({"cut in segment " + std::to_string(i), to_bytes(slice(stream, 0, size))});
  }

  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back(i);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    std::vector<std::size_t> changed = order;
    std::swap(changed[i], changed[i + 1]);
    build("segments " + std::to_string(i) + " and " + std::to_string(i + 1) + " swapped", changed);
    changed = order;
    changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i), i);
    build("segment " + std::to_string(i) + " repeated", changed);
    changed = order;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
    build("segment " + std::to_string(i) + " dropped", changed);
  }
  order.push_back(count - 1);
  build("last segment repeated", order);
  order.back() = 1;
  build("another segment behind the last", order);

  for (const std::size_t extra : {std::size_t{1}, layout.overhead(), layout.segment_size()}) {
    Attack attack{std::to_string(extra) + " bytes more", stream};
    append(attack.stream, noise_bytes(extra, 5));
    list.push_back(std::move(attack));
  }
  for (std::size_t bit = 0; bit < 8 * layout.header_size(); ++bit) {
    Attack attack{"header bit " + std::to_string(bit), stream};
    attack.stream[bit / 8] ^= std::byte{1} << (bit % 8);
    list.push_back(std::move(attack));
  }
  list.push_back({"empty", {}});
  return list;
}

}  // namespace millrace::testing
