#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "encoding/base64_reference.h"
#include "millrace/base64.h"

namespace millrace {
namespace {

using base64_reference::kAllOptions;
using base64_reference::random_bytes;

// Each call gets an output of exactly the size it asks for, so a byte too many is seen by AddressSanitizer.
std::string encode_pieces(Base64Encoder& encoder, ByteView bytes, const std::vector<std::size_t>& pieces) {
  std::string text;
  for (const std::size_t n : pieces) {
    std::vector<char> out(encoder.update_size(n));
    EXPECT_EQ(encoder.update(bytes.first(n), out), out.size());
    text.append(out.begin(), out.end());
    bytes = bytes.subspan(n);
  }
  std::vector<char> out(4);
  const std::size_t n = encoder.finish(out);
  return text.append(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n));
}

struct Outcome {
  std::vector<std::byte> bytes;
  std::optional<std::uint64_t> fault;
  bool operator==(const Outcome&) const = default;
};

Outcome decode_pieces(Base64Decoder& decoder, std::string_view text, const std::vector<std::size_t>& pieces) {
  Outcome outcome;
  for (const std::size_t n : pieces) {
    std::vector<std::byte> out(decoder.update_capacity(n), std::byte{0x55});
    const Result<std::size_t> written = decoder.update(text.substr(0, n), out);
    if (!written) {
      EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](std::byte b) { return b == std::byte{0}; }));
      outcome.fault = written.error().offset;
      return outcome;
    }
    EXPECT_LE(*written, out.size());
    outcome.bytes.insert(outcome.bytes.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*written));
    text.remove_prefix(n);
  }
  std::vector<std::byte> out(2, std::byte{0x55});
  const Result<std::size_t> written = decoder.finish(out);
  if (!written) {
    EXPECT_EQ(out, std::vector<std::byte>(2));
    outcome.fault = written.error().offset;
  } else {
    outcome.bytes.insert(outcome.bytes.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*written));
  }
  return outcome;
}

std::vector<std::size_t> random_pieces(std::size_t n, std::mt19937& engine) {
  const std::size_t largest = engine() % 3 == 0 ? 5 : 1 + engine() % (n + 1);
  std::vector<std::size_t> pieces;
  for (std::size_t piece; n > 0; n -= piece) {
    piece = std::min<std::size_t>(n, engine() % (largest + 1));  // empty pieces too
    pieces.push_back(piece);
  }
  return pieces;
}

TEST(Base64Stream, B05_EverySplitOf300BytesGivesTheSameText) {
  const std::vector<std::byte> bytes = random_bytes(300, 1);
  for (const Base64Options options : kAllOptions) {
    for (const std::size_t n : {298u, 299u, 300u}) {
      const ByteView message = ByteView(bytes).first(n);
      const std::string expected = base64_reference::encode(message, options);
      Base64Encoder encoder(options);  // one for all: finish() makes it ready again
      for (std::size_t a = 0; a <= n; ++a) {
        ASSERT_EQ(encode_pieces(encoder, message, {a, n - a}), expected) << a;
        ASSERT_EQ(encode_pieces(encoder, message, {a / 2, a - a / 2, n - a}), expected) << a;
      }
      ASSERT_EQ(encode_pieces(encoder, message, std::vector<std::size_t>(n, 1)), expected);
    }
  }
}

TEST(Base64Stream, B05_EverySplitOfATextGivesTheSameBytes) {
  const std::vector<std::byte> bytes = random_bytes(300, 2);
  for (const Base64Options options : kAllOptions) {
    for (const std::size_t n : {298u, 299u, 300u}) {
      const std::vector<std::byte> message(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
      const std::string text = base64_reference::encode(message, options);
      const Outcome expected = {message, std::nullopt};
      Base64Decoder decoder(options);
      for (std::size_t a = 0; a <= text.size(); ++a) {
        ASSERT_EQ(decode_pieces(decoder, text, {a, text.size() - a}), expected) << a;
        ASSERT_EQ(decode_pieces(decoder, text, {a / 2, a - a / 2, text.size() - a}), expected) << a;
      }
      ASSERT_EQ(decode_pieces(decoder, text, std::vector<std::size_t>(text.size(), 1)), expected);
    }
  }
}

TEST(Base64Stream, B05_RandomPiecesOfLongMessages) {
  constexpr unsigned kSeed = 20260830;
  std::mt19937 engine(kSeed);
  for (int round = 0; round < 60; ++round) {
    const Base64Options options = kAllOptions[round % 4];
    const std::vector<std::byte> bytes = random_bytes(engine() % 20000, engine());
    const std::string text = base64_reference::encode(bytes, options);
    Base64Encoder encoder(options);
    ASSERT_EQ(encode_pieces(encoder, bytes, random_pieces(bytes.size(), engine)), text) << kSeed << " " << round;
    Base64Decoder decoder(options);
    const Outcome expected = {bytes, std::nullopt};
    ASSERT_EQ(decode_pieces(decoder, text, random_pieces(text.size(), engine)), expected) << kSeed << " " << round;
  }
}

TEST(Base64Stream, TheFaultIsWhereTheWholeTextHasItWhateverThePieces) {
  constexpr unsigned kSeed = 7;
  std::mt19937 engine(kSeed);
  for (int round = 0; round < 20000; ++round) {
    const Base64Options options = kAllOptions[round % 4];
    std::string text = base64_reference::encode(random_bytes(engine() % 400, engine()), options);
    // One to three characters changed, and sometimes the end missing or something behind it.
    for (std::size_t k = 1 + engine() % 3; k > 0 && !text.empty(); --k) {
      text[engine() % text.size()] = "=A*B\n\x80"[engine() % 6];
    }
    if (engine() % 4 == 0) text.resize(engine() % (text.size() + 1));
    if (engine() % 4 == 0) text += "=AA"[engine() % 3];
    const std::optional<std::size_t> fault = base64_reference::fault(text, options);
    std::vector<std::byte> out(base64_decoded_capacity(text.size()));
    const Result<std::size_t> whole = base64_decode(text, out, options);
    Base64Decoder decoder(options);
    const Outcome pieces = decode_pieces(decoder, text, random_pieces(text.size(), engine));
    ASSERT_EQ(whole.has_value(), !fault) << text;
    ASSERT_EQ(pieces.fault.has_value(), fault.has_value()) << text;
    if (fault) {
      ASSERT_EQ(whole.error().offset, *fault) << text;
      ASSERT_EQ(*pieces.fault, *fault) << text;
    } else {
      out.resize(*whole);
      ASSERT_EQ(out, base64_reference::decode(text, options));
      ASSERT_EQ(pieces.bytes, out);
    }
  }
}

TEST(Base64Stream, TheFirstErrorIsTheLastWord) {
  Base64Decoder decoder;
  std::vector<std::byte> out(12);
  ASSERT_TRUE(decoder.update("Zm9v", out));
  ASSERT_EQ(decoder.update("Zm*v", out).error().offset, 6u);
  out.assign(12, std::byte{0x55});
  const Result<std::size_t> again = decoder.update("Zm9v", out);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().offset, 6u);
  EXPECT_EQ(out, std::vector<std::byte>(12));
  ASSERT_FALSE(decoder.finish(out));
  EXPECT_EQ(decoder.finish(out).error().offset, 6u);
}

TEST(Base64Stream, NothingFollowsPaddingEvenInAnotherPiece) {
  for (const std::string_view after : {"A", "=", "AAAA", "\n"}) {
    Base64Decoder decoder;
    std::vector<std::byte> out(12);
    ASSERT_TRUE(decoder.update("Zg=", out));
    ASSERT_TRUE(decoder.update("=", out));
    const Result<std::size_t> more = decoder.update(after, out);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().offset, 4u);
  }
}

TEST(Base64Stream, B06_EachFrameIsATextOfItsOwn) {
  // Frames of one and two bytes: padding inside the stream of frames, and one encoder and decoder for all of them.
  Base64Encoder encoder;
  Base64Decoder decoder;
  for (const std::string_view frame : {"f", "fo", "", "foo", "f"}) {
    const std::string text = encode_pieces(encoder, as_bytes(frame), {frame.size()});
    EXPECT_EQ(text, base64_reference::encode(as_bytes(frame), {}));
    const Outcome outcome = decode_pieces(decoder, text, {text.size()});
    EXPECT_FALSE(outcome.fault);
    EXPECT_EQ(as_text(outcome.bytes), frame);
  }
  // Two frames in one text are no text.
  std::vector<std::byte> out(6);
  ASSERT_FALSE(base64_decode("Zg==Zg==", out));
}

}  // namespace
}  // namespace millrace
