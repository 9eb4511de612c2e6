#include <gtest/gtest.h>

#include <random>

#include "silkd/frame_comparison.h"
#include "testing/silkd.h"

namespace millrace::silkd {
namespace {

using namespace millrace::testing;

// Mutator changes frames where they are decided about: quotes, colons, escapes, padding, the end.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string line() {
    const Bulk kind = kBulkKinds[below(5)];
    std::string text = json_frame(kind, noise_bytes(below(20), random_()));
    text.pop_back();
    for (std::size_t changes = below(4); changes > 0; --changes) change(text);
    std::erase(text, '\n');
    return text.empty() ? " " : text;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void change(std::string& text) {
    static constexpr std::string_view kPieces[] = {"\"",
                                                   "\\",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   ":",
                                                   " ",
                                                   "\r",
                                                   "\t",
                                                   "=",
                                                   "==",
                                                   "A",
                                                   "+",
                                                   "/",
                                                   "-",
                                                   "_",
                                                   "\\u0041",
                                                   "\\/",
                                                   "\\n",
                                                   "\\\"",
                                                   "\"}",
                                                   "\"}x",
                                                   "\"} ",
                                                   "{\"v\":1,",
                                                   "\"v\":1,",
                                                   "\"op\":\"data\",",
                                                   "\"type\":\"data\",",
                                                   "\"data\":\"QUJD\",",
                                                   ",\"data\":\"QUJD\"",
                                                   ",\"x\":\"y",
                                                   ",\"x\":{\"data\":\"QUJD\"}",
                                                   "\"x\":[],",
                                                   "null",
                                                   "data",
                                                   "stdin",
                                                   "stdout",
                                                   "\xff",
                                                   "\xc3\xa9",
                                                   "\xef\xbb\xbf"};
    static constexpr char kBytes[] = {'\0', '"', '\\', '=', 'A', '}', '\x7f', '\x80', 'z', ' '};
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = kBytes[below(sizeof kBytes)];
        break;
      case 1:
        if (at < text.size()) text.erase(at, 1 + below(3));
        break;
      case 2:
        text.insert(at, 1, kBytes[below(sizeof kBytes)]);
        break;
      case 3:  // behind the name, in front of the text, at the end
        text.insert(boundary(text), kPieces[below(std::size(kPieces))]);
        break;
      case 4:
        text.insert(at, kPieces[below(std::size(kPieces))]);
        break;
      default:
        text.insert(at, text.substr(below(text.size() + 1), below(30)));
    }
  }

  // boundary is a place beside a character that JSON gives a meaning.
  std::size_t boundary(const std::string& text) {
    std::vector<std::size_t> places = {0, text.size()};
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (std::string_view("{}[],:\"\\=").find(text[i]) != std::string_view::npos) {
        places.push_back(i);
        places.push_back(i + 1);
      }
    }
    return places[below(places.size())];
  }

  std::mt19937_64 random_;
};

TEST(SilkdDifferential, FastPathAndParserAgreeOnMutatedFrames) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Mutator mutator(seed);
  std::size_t fast = 0, fallback = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string line = mutator.line();
    for (const Direction direction : {Direction::kRequests, Direction::kResponses}) {
      const Comparison comparison = compare(line, direction);
      ASSERT_EQ(comparison.difference, nullptr) << comparison.difference << ": " << line;
      fast += comparison.fast;
      fallback += comparison.bulk && !comparison.fast;
      refused += !comparison.accepted;
    }
  }
  // The mutations are worth nothing if they do not lead to all three ends.
  EXPECT_GT(fast, 1000u);
  EXPECT_GT(fallback, 100u);
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace millrace::silkd
