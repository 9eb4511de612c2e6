// The plot is written by hand: a few lines, texts and circles. Both axes are logarithmic, so that equal distances are
// equal ratios, and the portable kernel can be read beside one that is thirty times as fast. The colours are those of
// Okabe and Ito, which people who see colours differently can tell apart; peers are dashed besides.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "bench.h"
#include "machine.h"

namespace millrace::cli::bench {

namespace {

// One panel, in pixels; the legend stands to the right of the plot.
constexpr double kLeft = 52;
constexpr double kTop = 34;
constexpr double kWidth = 440;
constexpr double kHeight = 230;
constexpr double kPanelWidth = kLeft + kWidth + 206;
constexpr double kPanelHeight = kTop + kHeight + 46;
constexpr double kHead = 64;  // above the panels
constexpr std::size_t kColumns = 2;

constexpr const char* kColours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"};
constexpr const char* kGrey = "#777777";

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
      result += '?';
    } else {
      result += c;
    }
  }
  return result;
}

std::string text_at(double x, double y, std::string_view attributes, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, escaped(text));
}

std::string line_at(double x1, double y1, double x2, double y2, std::string_view attributes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                     attributes);
}

// LogScale maps [low, high] to [from, to].
struct LogScale {
  double low, high, from, to;
  double at(double value) const {
    return from + (to - from) * (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  }
};

// The 1, 2 and 5 of every decade.
std::vector<double> ticks(double low, double high) {
  std::vector<double> values;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double value = digit * decade;
      if (value >= low * 0.999 && value <= high * 1.001) values.push_back(value);
    }
  }
  return values;
}

// nice_below and nice_above are the nearest of those values, outside.
double nice_below(double value) { return ticks(value / 10, value).back(); }
double nice_above(double value) { return ticks(value, value * 10).front(); }

std::string curve(const Row& row, const Pace& pace, const LogScale& x, const LogScale& y, std::string_view colour,
                  std::string_view dash) {
  std::string points;
  std::string dots;
  for (std::size_t i = 0; i < row.rates.size(); ++i) {
    const double at_x = x.at(static_cast<double>(pace.sizes[i]));
    const double at_y = y.at(row.rates[i].median / 1e9);
    points += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", at_x, at_y);
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", at_x, at_y, colour);
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{}/>\n", points, colour,
                     dash) +
         dots;
}

// panel draws one family; `rows` are its contestants, memcpy first.
std::string panel(const std::vector<const Row*>& rows, const Pace& pace) {
  double low = 1e300;
  double high = 0;
  for (const Row* row : rows) {
    for (const Spread& rate : row->rates) {
      low = std::min(low, rate.median / 1e9);
      high = std::max(high, rate.median / 1e9);
    }
  }
  const double first = static_cast<double>(pace.sizes.front());
  const double last = static_cast<double>(pace.sizes.back());
  // One size alone stands in the middle.
  const LogScale x{first == last ? first / 2 : first, first == last ? last * 2 : last, kLeft + 8, kLeft + kWidth - 8};
  const LogScale y{nice_below(low), nice_above(high * 1.05), kTop + kHeight, kTop};

  std::string svg = text_at(kLeft, kTop - 12, "font-size=\"15\" font-weight=\"bold\"", rows.back()->family);
  for (const double value : ticks(y.low, y.high)) {
    svg += line_at(kLeft, y.at(value), kLeft + kWidth, y.at(value), "stroke=\"#dddddd\"");
    svg += text_at(kLeft - 6, y.at(value) + 4, "font-size=\"11\" text-anchor=\"end\"", fmt::format("{:g}", value));
  }
  double label_end = 0;
  for (const std::size_t size : pace.sizes) {
    const double at = x.at(static_cast<double>(size));
    svg += line_at(at, kTop, at, kTop + kHeight, "stroke=\"#eeeeee\"");
    if (at < label_end) continue;  // labels do not overlap
    svg += text_at(at, kTop + kHeight + 16, "font-size=\"10.5\" text-anchor=\"middle\"", size_label(size));
    label_end = at + 40;
  }
  svg += line_at(kLeft, kTop + kHeight, kLeft + kWidth, kTop + kHeight, "stroke=\"#333333\"");
  svg += line_at(kLeft, kTop, kLeft, kTop + kHeight, "stroke=\"#333333\"");

  std::size_t colours = 0;
  double legend = kTop + 8;
  for (const Row* row : rows) {
    const bool reference = row->family == "memcpy";
    const std::string_view colour = reference ? kGrey : kColours[colours++ % std::size(kColours)];
    const std::string_view dash = reference                              ? " stroke-dasharray=\"2 3\""
                                  : row->kind == Contestant::Kind::kPeer ? " stroke-dasharray=\"7 4\""
                                                                         : "";
    svg += curve(*row, pace, x, y, colour, dash);
    const double left = kLeft + kWidth + 12;
    svg += line_at(left, legend, left + 22, legend, fmt::format("stroke=\"{}\" stroke-width=\"1.8\"{}", colour, dash));
    const bool in_use = row->kind == Contestant::Kind::kInUse;
    svg += text_at(left + 28, legend + 4, in_use ? "font-size=\"12\" font-weight=\"bold\"" : "font-size=\"12\"",
                   row->name);
    legend += 19;
  }
  return svg;
}

}  // namespace

std::string svg_plot(const Results& results) {
  // The families in their order, each with memcpy.
  std::vector<std::vector<const Row*>> panels;
  for (const Row& row : results.rows) {
    if (row.family == "memcpy") continue;
    if (panels.empty() || panels.back().back()->family != row.family) panels.push_back({&results.rows.front()});
    panels.back().push_back(&row);
  }
  const std::size_t columns = std::min(kColumns, panels.size());
  const std::size_t lines = (panels.size() + kColumns - 1) / kColumns;
  const double width = static_cast<double>(columns) * kPanelWidth + 8;
  const double height = kHead + static_cast<double>(lines) * kPanelHeight;

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" fill=\"#222222\">\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
      width, height);
  svg += text_at(kLeft, 26, "font-size=\"17\" font-weight=\"bold\"", "GB/s on one core over size");
  svg += text_at(kLeft, 46, "font-size=\"12\"",
                 fmt::format("millrace {}, {}, median of {} rounds; bold: in use; dashed: others", MILLRACE_VERSION,
                             cpu_model(), results.pace.rounds));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    svg += fmt::format("<g transform=\"translate({:.0f} {:.0f})\">\n", static_cast<double>(i % kColumns) * kPanelWidth,
                       kHead + static_cast<double>(i / kColumns) * kPanelHeight);
    svg += panel(panels[i], results.pace);
    svg += "</g>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace millrace::cli::bench
