// SPDX-License-Identifier: Apache-2.0
// A canvas of dots, axes with round numbers, and labels at the ends of the lines.
#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

namespace sextant {
namespace {

// Values from `first` in steps of `step`, step being 1, 2 or 5 times a power of ten.
struct Ticks {
  double first = 0.0;
  double step = 1.0;
  int count = 0;
  double at(int i) const { return first + step * i; }
  double last() const { return at(count - 1); }
};

double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1.0 - 1e-9)) return factor * power;
  }
  return 10.0 * power;
}

// The fewest round ticks that enclose [low, high], about `wanted` of them.
Ticks enclosing_ticks(double low, double high, int wanted) {
  if (!(high > low)) {
    const double pad = low == 0.0 ? 1.0 : std::abs(low) / 2.0;
    low -= pad;
    high += pad;
  }
  Ticks ticks;
  ticks.step = round_step((high - low) / std::max(1, wanted - 1));
  const double slack = 1e-9;
  const double first = std::floor(low / ticks.step + slack);
  const double last = std::ceil(high / ticks.step - slack);
  ticks.first = first * ticks.step;
  ticks.count = static_cast<int>(last - first) + 1;
  return ticks;
}

std::string tick_text(double value, double step) {
  if (std::abs(value) < step / 2.0) return "0";
  if (std::abs(value) >= 1e6 || std::abs(step) < 1e-4) return fmt::format("{:.3g}", value);
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return fmt::format("{:.{}f}", value, digits);
}

struct Glyphs {
  std::string_view vertical, tick_left, corner, horizontal, tick_below, zero;
};
constexpr Glyphs kUnicode = {"\u2502", "\u2524", "\u2514", "\u2500", "\u252c", "\u2508"};
constexpr Glyphs kAscii = {"|", "+", "+", "-", "+", "."};

constexpr std::string_view kMarks = "*o+x#@%&";
constexpr int kColors[] = {36, 33, 35, 32, 34, 31};

struct BrailleCell {
  std::uint8_t dots = 0;  // braille: bit k is dot k + 1
  int owner = -1;         // the series that drew here last
};

// Dots of one character: 2 x 4 in braille, one in ASCII.
class Canvas {
 public:
  Canvas(int columns, int rows, bool unicode)
      : columns_(columns),
        rows_(rows),
        dot_columns_(unicode ? 2 : 1),
        dot_rows_(unicode ? 4 : 1),
        cells_(static_cast<std::size_t>(columns * rows)) {}

  int width() const { return columns_ * dot_columns_; }
  int height() const { return rows_ * dot_rows_; }
  int row_of(int y) const { return y / dot_rows_; }
  const BrailleCell& cell(int column, int row) const {
    return cells_[static_cast<std::size_t>(row * columns_ + column)];
  }

  void draw_line(int x0, int y0, int x1, int y1, int owner) {
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int i = 0; i <= steps; ++i) {
      const double part = static_cast<double>(i) / steps;
      set(static_cast<int>(std::lround(x0 + part * (x1 - x0))),
          static_cast<int>(std::lround(y0 + part * (y1 - y0))), owner);
    }
  }

 private:
  void set(int x, int y, int owner) {
    constexpr std::uint8_t kDot[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    const int column = x / dot_columns_, row = y / dot_rows_;
    BrailleCell& cell = cells_[static_cast<std::size_t>(row * columns_ + column)];
    cell.dots = static_cast<std::uint8_t>(cell.dots | kDot[y % dot_rows_][x % dot_columns_]);
    cell.owner = owner;
  }

  int columns_, rows_, dot_columns_, dot_rows_;
  std::vector<BrailleCell> cells_;
};

std::string braille(std::uint8_t dots) {
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 | (dots >> 6)),
          static_cast<char>(0x80 | (dots & 0x3F))};
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// The drawing before it becomes text.
struct Chart {
  const std::vector<PlotSeries>& series;
  const PlotOptions& options;
  Range x = {};
  Ticks y_ticks = {};
  Canvas canvas;
  int margin;                       // columns left of the axis
  std::vector<std::string> labels;  // per row, right of the drawing
  std::vector<int> label_owner;

  int dot_x(double value) const {
    const double part = x.high > x.low ? (value - x.low) / (x.high - x.low) : 0.5;
    return static_cast<int>(std::lround(part * (canvas.width() - 1)));
  }
  int dot_y(double value) const {
    const double part = (y_ticks.last() - value) / (y_ticks.last() - y_ticks.first);
    return static_cast<int>(std::lround(part * (canvas.height() - 1)));
  }
  std::string colored(std::string_view text, int owner) const {
    if (!options.color || owner < 0 || text.empty()) return std::string(text);
    const int color = kColors[static_cast<std::size_t>(owner) % std::size(kColors)];
    return fmt::format("\033[{}m{}\033[0m", color, text);
  }
};

bool drawable(const PlotSeries& s) {
  return std::any_of(s.y.begin(), s.y.end(), [](double y) { return std::isfinite(y); });
}

void draw(Chart& chart) {
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    const PlotSeries& s = chart.series[k];
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!std::isfinite(s.y[i])) continue;
      const std::size_t from = i > 0 && std::isfinite(s.y[i - 1]) ? i - 1 : i;
      chart.canvas.draw_line(chart.dot_x(s.x[from]), chart.dot_y(s.y[from]), chart.dot_x(s.x[i]),
                             chart.dot_y(s.y[i]), static_cast<int>(k));
    }
  }
}

// The row of each series' label: where its line ends, moved apart in the order of the ends.
void place_labels(Chart& chart) {
  const int rows = chart.options.height;
  chart.labels.assign(static_cast<std::size_t>(rows), "");
  chart.label_owner.assign(static_cast<std::size_t>(rows), -1);
  if (chart.series.size() < 2) return;

  struct End {
    double y;
    std::size_t owner;
  };
  std::vector<End> ends;
  for (std::size_t k = 0; k < chart.series.size(); ++k) {
    const std::vector<double>& y = chart.series[k].y;
    ends.push_back(
        {*std::find_if(y.rbegin(), y.rend(), [](double v) { return std::isfinite(v); }), k});
  }
  std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.y > b.y; });
  int free_from = 0;
  for (std::size_t i = 0; i < ends.size() && free_from < rows; ++i) {
    const int below = static_cast<int>(ends.size() - 1 - i);
    const int wanted = std::min(chart.canvas.row_of(chart.dot_y(ends[i].y)), rows - 1 - below);
    const auto row = static_cast<std::size_t>(std::max(free_from, wanted));
    const std::size_t k = ends[i].owner;
    const std::string mark =
        chart.options.unicode ? "" : fmt::format("{} ", kMarks[k % kMarks.size()]);
    chart.labels[row] = mark + chart.series[k].label;
    chart.label_owner[row] = static_cast<int>(k);
    free_from = static_cast<int>(row) + 1;
  }
}

// The numbers beside the axis, per row: both ends, and what leaves a blank row between.
std::vector<std::string> y_numbers(const Chart& chart) {
  std::vector<std::string> numbers(static_cast<std::size_t>(chart.options.height));
  int above = -2;
  const int bottom = chart.options.height - 1;
  for (int i = chart.y_ticks.count - 1; i >= 0; --i) {
    const double value = chart.y_ticks.at(i);
    const int row = chart.canvas.row_of(chart.dot_y(value));
    if (i > 0 && (row < above + 2 || row > bottom - 2)) continue;
    numbers[static_cast<std::size_t>(row)] = tick_text(value, chart.y_ticks.step);
    above = row;
  }
  return numbers;
}

std::string drawn_row(const Chart& chart, int row, int columns, const Glyphs& glyphs) {
  const bool zero_inside = chart.y_ticks.first < 0.0 && chart.y_ticks.last() > 0.0;
  const bool zero_row = zero_inside && chart.canvas.row_of(chart.dot_y(0.0)) == row;
  std::string result;
  for (int column = 0; column < columns; ++column) {
    const BrailleCell& cell = chart.canvas.cell(column, row);
    if (cell.owner < 0) {
      result += zero_row ? glyphs.zero : " ";
    } else if (chart.options.unicode) {
      result += chart.colored(braille(cell.dots), cell.owner);
    } else {
      const std::size_t mark = static_cast<std::size_t>(cell.owner) % kMarks.size();
      result += chart.colored(kMarks.substr(mark, 1), cell.owner);
    }
  }
  const auto index = static_cast<std::size_t>(row);
  if (!chart.labels[index].empty()) {
    result += fmt::format(" {}", chart.colored(chart.labels[index], chart.label_owner[index]));
  } else if (!zero_row) {
    const auto last = result.find_last_not_of(' ');
    result.erase(last == result.npos ? 0 : last + 1);
  }
  return result;
}

// The axis below and its numbers. Ticks that do not fit between their neighbours have no number.
std::string x_axis(const Chart& chart, int columns, const Glyphs& glyphs) {
  const Ticks ticks = enclosing_ticks(chart.x.low, chart.x.high, std::max(2, columns / 9));
  std::vector<bool> marked(static_cast<std::size_t>(columns), false);
  std::string numbers(static_cast<std::size_t>(columns + 8), ' ');
  int free_from = -chart.margin;
  for (int i = 0; i < ticks.count; ++i) {
    const double value = ticks.at(i);
    const double slack = ticks.step * 1e-9;
    if (value < chart.x.low - slack || value > chart.x.high + slack) continue;
    const int column = chart.dot_x(value) * columns / chart.canvas.width();
    marked[static_cast<std::size_t>(column)] = true;
    const std::string text = tick_text(value, ticks.step);
    const int length = static_cast<int>(text.size());
    const int start = std::max(0, column - (length - 1) / 2);
    if (start < free_from || start + length > columns + 8) continue;
    numbers.replace(static_cast<std::size_t>(start), text.size(), text);
    free_from = start + length + 1;
  }
  numbers.erase(numbers.find_last_not_of(' ') + 1);

  std::string result = fmt::format("{:{}}{}", "", chart.margin, glyphs.corner);
  for (const bool tick : marked) result += tick ? glyphs.tick_below : glyphs.horizontal;
  result += fmt::format("\n{:{}}{}", "", chart.margin + 1, numbers);
  if (!chart.options.x_label.empty()) result += fmt::format("  {}", chart.options.x_label);
  return result + "\n";
}

}  // namespace

std::string plot(const std::vector<PlotSeries>& all, const PlotOptions& options) {
  std::vector<PlotSeries> series;
  std::copy_if(all.begin(), all.end(), std::back_inserter(series), drawable);
  std::string result = options.title.empty() ? "" : options.title + "\n";
  if (series.empty()) return result;

  Range x, y;
  std::size_t label_width = 0;
  for (const PlotSeries& s : series) {
    for (const double value : s.x) x.include(value);
    for (const double value : s.y)
      if (std::isfinite(value)) y.include(value);
    if (series.size() > 1) label_width = std::max(label_width, s.label.size() + 3);
  }
  const Ticks y_ticks = enclosing_ticks(y.low, y.high, 6);
  std::size_t margin = 0;
  for (int i = 0; i < y_ticks.count; ++i)
    margin = std::max(margin, tick_text(y_ticks.at(i), y_ticks.step).size());
  const int columns = std::max(8, options.width - static_cast<int>(margin + label_width) - 3);

  Chart chart = {series,
                 options,
                 x,
                 y_ticks,
                 Canvas(columns, options.height, options.unicode),
                 static_cast<int>(margin) + 1,
                 {},
                 {}};
  draw(chart);
  place_labels(chart);

  const Glyphs& glyphs = options.unicode ? kUnicode : kAscii;
  const std::vector<std::string> numbers = y_numbers(chart);
  for (int row = 0; row < options.height; ++row) {
    const std::string& number = numbers[static_cast<std::size_t>(row)];
    result += fmt::format("{:>{}} {}{}\n", number, margin,
                          number.empty() ? glyphs.vertical : glyphs.tick_left,
                          drawn_row(chart, row, columns, glyphs));
  }
  return result + x_axis(chart, columns, glyphs);
}

}  // namespace sextant
