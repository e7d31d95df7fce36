// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace sextant {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool has_mark(const std::string& line, char mark) { return line.find(mark) != line.npos; }

// Dots of all braille characters of a text.
int dots(const std::string& text) {
  int count = 0;
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) != 0xE2) continue;
    const auto high = static_cast<unsigned char>(text[i + 1]);
    const auto low = static_cast<unsigned char>(text[i + 2]);
    if (high < 0xA0 || high > 0xA3) continue;
    count += __builtin_popcount(static_cast<unsigned>((high & 3U) << 6 | (low & 0x3FU)));
  }
  return count;
}

const PlotSeries kRise = {"rise", {0.0, 1.0}, {0.0, 10.0}};

TEST(Plot, RisesFromTheLowerLeftToTheUpperRight) {
  const auto lines = lines_of(plot({kRise}, {.width = 40, .height = 5, .unicode = false}));
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[0].back(), '*');
  EXPECT_EQ(lines[4].find('*'), lines[4].find('+') + 1);
  EXPECT_LT(lines[4].rfind('*'), lines[0].find('*'));
}

TEST(Plot, LabelsBothEndsOfTheAxes) {
  const auto lines = lines_of(plot({kRise}, {.width = 40, .height = 5, .unicode = false}));
  EXPECT_EQ(lines[0].substr(0, 3), "10 ");
  EXPECT_EQ(lines[4].substr(0, 3), " 0 ");
  EXPECT_NE(lines[6].find("0"), std::string::npos);
  EXPECT_NE(lines[6].find("1.0"), std::string::npos);
}

TEST(Plot, AHorizontalLineHasTwoDotsPerCharacterInOneRow) {
  const auto lines = lines_of(plot({{"", {0.0, 1.0}, {2.0, 2.0}}}, {.width = 40, .height = 4}));
  std::vector<std::string> drawn;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(drawn),
               [](const std::string& line) { return dots(line) > 0; });
  ASSERT_EQ(drawn.size(), 1U);
  const auto characters = std::count(drawn[0].begin(), drawn[0].end(), static_cast<char>(0xA0)) +
                          std::count(drawn[0].begin(), drawn[0].end(), static_cast<char>(0xA2));
  EXPECT_EQ(dots(drawn[0]), 2 * characters);
}

TEST(Plot, AValueThatIsNotFiniteInterruptsTheLine) {
  const double none = -std::numeric_limits<double>::infinity();
  const PlotSeries broken = {"", {0.0, 1.0, 2.0, 3.0, 4.0}, {1.0, 1.0, none, 1.0, 1.0}};
  const auto lines = lines_of(plot({broken}, {.width = 40, .height = 3, .unicode = false}));
  for (const std::string& line : lines) {
    if (!has_mark(line, '*')) continue;
    EXPECT_NE(line.find("* "), std::string::npos);
    EXPECT_NE(line.rfind(" *"), std::string::npos);
  }
}

TEST(Plot, LabelsSeveralSeriesInTheOrderOfTheirEnds) {
  const std::vector<PlotSeries> series = {
      {"low", {0, 1}, {0, 0.00}}, {"high", {0, 1}, {0, 0.02}}, {"top", {0, 1}, {0, 1.00}}};
  const auto lines = lines_of(plot(series, {.width = 40, .height = 6, .unicode = false}));
  const auto line_with = [&](std::string_view label) {
    return std::find_if(lines.begin(), lines.end(),
                        [&](const std::string& l) { return l.find(label) != l.npos; }) -
           lines.begin();
  };
  EXPECT_EQ(line_with("* low"), 5);
  EXPECT_EQ(line_with("o high"), 4);
  EXPECT_EQ(line_with("+ top"), 0);
}

TEST(Plot, KeepsToItsWidth) {
  for (const int width : {30, 60, 80, 100}) {
    const auto lines = lines_of(
        plot({kRise, {"other", {0.0, 1.0}, {-5.0, 1.0}}}, {.width = width, .unicode = false}));
    for (const std::string& line : lines) EXPECT_LE(static_cast<int>(line.size()), width) << line;
  }
}

TEST(Plot, WithoutAFinitePointIsTheTitleAlone) {
  EXPECT_EQ(plot({{"", {0.0}, {std::nan("")}}}, {.title = "empty"}), "empty\n");
  EXPECT_EQ(plot({}, {}), "");
}

TEST(Plot, IsAsciiOnRequest) {
  const std::string text = plot({kRise, {"b", {0, 1}, {-1, 1}}}, {.unicode = false});
  EXPECT_TRUE(std::all_of(text.begin(), text.end(),
                          [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

}  // namespace
}  // namespace sextant
