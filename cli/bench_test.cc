// What bench shows, from made-up results.
#include "bench.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace millrace::cli::bench {
namespace {

using Kind = Contestant::Kind;

Results made_up(std::vector<std::size_t> sizes, std::string family) {
  Results results;
  results.pace.sizes = std::move(sizes);
  const auto row = [&](std::string of, std::string name, Kind kind, double rate) {
    Row made{std::move(of), std::move(name), kind, {}};
    for (std::size_t i = 0; i < results.pace.sizes.size(); ++i) {
      made.rates.push_back({rate, rate, rate});
      rate *= 3;
    }
    results.rows.push_back(std::move(made));
  };
  row("memcpy", "memcpy", Kind::kPeer, 20e9);
  row(family, "x86-fast", Kind::kInUse, 10e9);
  row(family, "portable", Kind::kMillrace, 0.3e9);
  row(family, "them", Kind::kPeer, 4e9);
  return results;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) ++n;
  return n;
}

TEST(Bench, SpreadIsTheMedianWithTheExtremes) {
  const Spread odd = spread_of({5, 1, 9});
  EXPECT_EQ(odd.median, 5);
  EXPECT_EQ(odd.lowest, 1);
  EXPECT_EQ(odd.highest, 9);
  EXPECT_EQ(spread_of({4, 1, 2, 9}).median, 3);
  EXPECT_EQ(spread_of({7}).median, 7);
  EXPECT_EQ(spread_of({}).median, 0);
}

TEST(Bench, SizesAreShortAndExact) {
  const std::pair<std::uint64_t, const char*> known[] = {
      {64, "64 B"},         {1000, "1000 B"},         {1024, "1 KiB"},    {1536, "1536 B"},
      {64 << 10, "64 KiB"}, {1025 << 10, "1025 KiB"}, {1 << 20, "1 MiB"}, {std::uint64_t{4} << 40, "4096 GiB"}};
  for (const auto& [bytes, label] : known) EXPECT_EQ(size_label(bytes), label);
}

TEST(Bench, TheTableShowsEveryRateWithThreeDigitsAndItsMark) {
  Results results = made_up({64, 4096, 65536}, "crc32");
  results.files = {{"read", 2, {2e9, 2e9, 2e9}, "", 0}, {"encrypt", 2, {1e9, 1e9, 1e9}, "read, seal", 4e9}};
  const std::string text = text_report(results);
  for (const std::string_view line :
       {"memcpy                            20.0      60.0       180\n", "\ncrc32\n",
        " * x86-fast                       10.0      30.0      90.0\n",
        "   portable                       0.30      0.90      2.70\n",
        " - them                           4.00      12.0      36.0\n", "read                         2      2.00\n",
        "encrypt                      2      1.00      4.00      25 %  read, seal\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  EXPECT_EQ(count(text, "Not quiet"), 0u);
  for (Row& row : results.rows) row.rates[1].lowest = row.rates[1].median * 0.69;
  EXPECT_EQ(count(text_report(results), "Not quiet: 4 of 14 cells"), 1u);
}

TEST(Bench, NoLineOfTheTableIsLongerThan120Characters) {
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < 25; ++i) sizes.push_back((std::size_t{1} << 30) - 25 + i);
  const std::string text = text_report(made_up(sizes, "crc32c"));
  std::size_t start = 0;
  for (std::size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    EXPECT_LE(end - start, 120u) << text.substr(start, end - start);
  }
  for (const std::size_t size : sizes) EXPECT_EQ(count(text, size_label(size)), 1u) << size;
}

TEST(Bench, ThePlotEscapesNames) {
  const std::string svg = svg_plot(made_up({64, 4096}, "a<b>&\"c\"\x01\xff"));
  EXPECT_EQ(count(svg,
                  ">a&lt;b&gt;&amp;&quot;c&quot;?"
                  "?</text>"),
            1u)
      << svg;
}

TEST(Bench, OneSizeStandsInTheMiddleOfThePlot) {
  const std::string svg = svg_plot(made_up({4096}, "crc32"));
  EXPECT_EQ(count(svg, "<circle "), 4u);
  EXPECT_EQ(count(svg, "cx=\"272.0\""), 4u) << svg;
  EXPECT_EQ(count(svg, "nan"), 0u);
  EXPECT_EQ(count(svg, "inf"), 0u);
}

TEST(Bench, EveryFamilyHasItsPanel) {
  Results results = made_up({64, 4096, 65536}, "crc32");
  for (const Row& row : made_up({64, 4096, 65536}, "sha256").rows) {
    if (row.family != "memcpy") results.rows.push_back(row);
  }
  const std::string svg = svg_plot(results);
  EXPECT_EQ(count(svg, "<polyline "), 8u);
  EXPECT_EQ(count(svg, ">memcpy</text>"), 2u);
  EXPECT_EQ(count(svg, "<g "), count(svg, "</g>"));
  EXPECT_EQ(count(svg, "font-weight=\"bold\">x86-fast<"), 2u);
  // memcpy in grey and dotted, the peer dashed.
  EXPECT_EQ(count(svg, "stroke-dasharray=\"2 3\""), 4u);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"7 4\""), 4u);
}

TEST(Bench, JsonHoldsWhatTheTableShows) {
  Results results = made_up({64, 4096}, "crc32");
  results.files = {{"encrypt", 2, {1e9, 0.5e9, 2e9}, "read, seal", 4e9}};
  const auto json = nlohmann::json::parse(json_report(results));
  ASSERT_EQ(json.at("kernels").size(), 4u);
  EXPECT_EQ(json.at("kernels")[1].at("kernel"), "x86-fast");
  EXPECT_EQ(json.at("kernels")[1].at("in_use"), true);
  EXPECT_EQ(json.at("kernels")[3].at("peer"), true);
  EXPECT_EQ(json.at("kernels")[3].at("rates")[1].at("bytes_per_second"), 12e9);
  EXPECT_EQ(json.at("files")[0].at("bound_bytes_per_second"), 4e9);
  EXPECT_EQ(json.at("files")[0].at("lowest"), 0.5e9);
}

// A contestant is called as often as asked, and its rate counts the bytes it says it took.
TEST(Bench, RoundsCallEveryContestantAtEverySize) {
  std::vector<std::size_t> seen;
  std::uint64_t calls = 0;
  const std::vector<Contestant> list = {{"f", "k", Kind::kMillrace,
                                         repeated(
                                             [&](std::size_t n) {
                                               ++calls;
                                               if (seen.empty() || seen.back() != n) seen.push_back(n);
                                               return n;
                                             },
                                             3)}};
  Pace pace;
  pace.sizes = {64, 300};
  pace.rounds = 4;
  pace.seconds_per_cell = 1e-6;
  pace.tell_progress = [](std::string_view) {};
  const std::vector<Row> rows = measure_kernels(list, pace);
  EXPECT_EQ(seen, (std::vector<std::size_t>{63, 300}));
  EXPECT_GE(calls, 2u * (4 + 1));
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_EQ(rows[0].rates.size(), 2u);
}

}  // namespace
}  // namespace millrace::cli::bench
