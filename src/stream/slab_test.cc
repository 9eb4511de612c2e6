#include "stream/slab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>
#include <vector>

#include "testing/bytes.h"

namespace millrace {
namespace {

using namespace millrace::testing;

TEST(Slab, HasTheSizeThatWasAskedFor) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65535}, std::size_t{65536},
                                 std::size_t{65537}, std::size_t{1} << 20, (std::size_t{3} << 20) + 1}) {
    const Slab slab = Slab::acquire(size);
    EXPECT_EQ(slab.size(), size);
    EXPECT_EQ(slab.bytes().size(), size);
    std::fill(slab.bytes().begin(), slab.bytes().end(), std::byte{0xab});
  }
  EXPECT_EQ(Slab().size(), 0u);
}

TEST(Slab, CleansedBeforeAnyoneElseGetsIt) {
  // Whether or not the memory comes back, what comes back holds none of what was there.
  for (const std::size_t size : {std::size_t{70000}, std::size_t{1} << 20, std::size_t{5} << 20}) {
    for (int round = 0; round < 3; ++round) {
      Slab slab = Slab::acquire(size);
      std::fill(slab.bytes().begin(), slab.bytes().end(), std::byte{0x5e});
      slab.cleanse_on_release();
      const std::byte* const place = slab.bytes().data();
      slab = Slab();
      const Slab next = Slab::acquire(size);
      if (next.bytes().data() == place) {
        EXPECT_TRUE(is_zero(next.bytes()));
      }
    }
  }
}

TEST(Slab, NeverTwoOwners) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      std::vector<Slab> held;
      for (std::size_t i = 0; i < 300; ++i) {
        held.push_back(Slab::acquire(65536 + (i * 7919 + t * 104729) % 400000));
        const std::byte mark = static_cast<std::byte>(t * 64 + i % 64);
        held.back().bytes().front() = mark;
        held.back().bytes().back() = mark;
        if (held.size() < 5) continue;
        // The mark of each is what its owner wrote.
        const std::size_t first = i + 1 - held.size();
        for (std::size_t k = 0; k < held.size(); ++k) {
          const std::byte expected = static_cast<std::byte>(t * 64 + (first + k) % 64);
          EXPECT_EQ(held[k].bytes().front(), expected);
          EXPECT_EQ(held[k].bytes().back(), expected);
        }
        held.erase(held.begin());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Slab, MovingKeepsOneOwner) {
  Slab a = Slab::acquire(100000);
  std::byte* const place = a.bytes().data();
  Slab b(std::move(a));
  EXPECT_EQ(b.bytes().data(), place);
  EXPECT_EQ(a.size(), 0u);
  Slab c = Slab::acquire(10);
  c = std::move(b);
  EXPECT_EQ(c.bytes().data(), place);
  EXPECT_EQ(c.size(), 100000u);
}

TEST(Slab, StockIsBounded) {
  {
    std::vector<Slab> many;
    for (int i = 0; i < 40; ++i) many.push_back(Slab::acquire(std::size_t{4} << 20));  // more than is kept
  }
  std::map<const std::byte*, int> owners;
  std::vector<Slab> again;
  for (int i = 0; i < 40; ++i) {
    again.push_back(Slab::acquire(std::size_t{4} << 20));
    EXPECT_EQ(++owners[again.back().bytes().data()], 1);
  }
}

}  // namespace
}  // namespace millrace
