// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/rng.h"

namespace sextant {
namespace {

const std::vector<std::string> kNames = {"alibi", "rope", "sinusoidal", "t5"};

TEST(Nearest, ForgivesEachKindOfTypo) {
  EXPECT_EQ(nearest("rop", kNames), "rope");    // delete
  EXPECT_EQ(nearest("roppe", kNames), "rope");  // insert
  EXPECT_EQ(nearest("rape", kNames), "rope");   // replace
  EXPECT_EQ(nearest("sinusodial", kNames), "sinusoidal");
}

TEST(Nearest, CountsASwapOfNeighboursAsOne) {
  EXPECT_EQ(nearest("ab", std::vector<std::string>{"ba"}), "ba");
  EXPECT_EQ(nearest("ab", std::vector<std::string>{"cd"}), std::nullopt);
  EXPECT_EQ(nearest("abc", std::vector<std::string>{"cba"}), "cba");  // two, the limit
}

TEST(Nearest, GivesNothingWhenEverythingIsFar) {
  EXPECT_EQ(nearest("transformer", kNames), std::nullopt);
  const std::vector<std::string> far = {"jordan-rope", "jordan-blocks"};
  EXPECT_EQ(nearest("jordan", far), "jordan-rope") << "a beginning, though far in letters";
  EXPECT_EQ(nearest("jo", far), std::nullopt) << "too short to mean anything";
  EXPECT_EQ(nearest("xyz", std::vector<std::string>{}), std::nullopt);
  EXPECT_EQ(nearest("", kNames), std::nullopt);
}

TEST(Nearest, PrefersTheCloserThenTheFirst) {
  EXPECT_EQ(nearest("abcd", std::vector<std::string>{"abxx", "abcx", "abcy"}), "abcx");
}

TEST(Suggestion, IsAPhraseOrNothing) {
  EXPECT_EQ(suggestion("orpe", kNames), " (did you mean 'rope'?)");
  EXPECT_EQ(suggestion("qqqqqqqq", kNames), "");
}

TEST(ParseNumber, ReadsDecimalsAndFractions) {
  EXPECT_EQ(parse_number("0"), 0.0);
  EXPECT_EQ(parse_number("-12.5"), -12.5);
  EXPECT_EQ(parse_number("1e4"), 10000.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("1/256"), 0.00390625);
  EXPECT_EQ(parse_number("-3/4"), -0.75);
  EXPECT_EQ(parse_number("1e2/8"), 12.5);
  EXPECT_EQ(parse_number("0.1"), 0.1);
}

TEST(ParseNumber, TakesTheWholeStringOrNothing) {
  for (const char* text :
       {"",      " ",      " 1",     "1 ",           "+1",   "12abc", "1,5",      "0x10",
        "--1",   "1e",     "e5",     "inf",          "-inf", "nan",   "infinity", "NaN",
        "1e999", "-1e999", "1e-999", "1/0",          "0/0",  "/2",    "1/",       "1/2/3",
        "1/inf", "inf/1",  "1/+2",   "1e300/1e-300", "1/nan"})
    EXPECT_EQ(parse_number(text), std::nullopt) << "'" << text << "'";
  EXPECT_EQ(parse_number(std::string_view("1\0", 2)), std::nullopt);
}

TEST(ParseInteger, TakesTheWholeStringOrNothing) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-7"), -7);
  EXPECT_EQ(parse_integer("9223372036854775807"), std::numeric_limits<Index>::max());
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<Index>::min());
  for (const char* text : {"", " 1", "1 ", "+1", "12abc", "1.0", "1e3", "0x10", "1/1", "-",
                           "9223372036854775808", "-9223372036854775809"})
    EXPECT_EQ(parse_integer(text), std::nullopt) << "'" << text << "'";
}

TEST(Escaped, LeavesOnlyPrintableAscii) {
  EXPECT_EQ(escaped("plain text ~"), "plain text ~");
  EXPECT_EQ(escaped("a\nb\x1b[31m"), "a\\x0ab\\x1b[31m");
  EXPECT_EQ(escaped("\xc3\xa9\x7f"), "\\xc3\\xa9\\x7f");
  EXPECT_EQ(escaped(std::string_view("\0", 1)), "\\x00");
}

TEST(Escaped, CutsAtSixtyFourBytes) {
  EXPECT_EQ(escaped(std::string(64, 'a')), std::string(64, 'a'));
  EXPECT_EQ(escaped(std::string(65, 'a')), std::string(64, 'a') + "...");
}

TEST(PathText, EscapesButKeepsTheWholePath) {
  const std::string folder(100, 'd');
  EXPECT_EQ(path_text(folder + "/a\nb.npy"), folder + "/a\\x0ab.npy");
}

TEST(Split, KeepsEmptyParts) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,b,c", ','), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split(",a,,", ','), (Parts{"", "a", "", ""}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(split("abc", ','), (Parts{"abc"}));
}

TEST(Shortest, HasNoExponentForOrdinarySizes) {
  EXPECT_EQ(shortest(500000.0), "500000");
  EXPECT_EQ(shortest(0.1), "0.1");
  EXPECT_EQ(shortest(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(shortest(-0.0), "-0");
  EXPECT_EQ(shortest(1e300), "1e+300");
  EXPECT_EQ(shortest(5e-324), "5e-324");
}

TEST(Shortest, ReadsBackToTheSameBits) {
  const Rng rng(1, 0);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double value = std::ldexp(rng.normal(i), static_cast<int>(rng.at(i) % 2000) - 1000);
    EXPECT_EQ(std::strtod(shortest(value).c_str(), nullptr), value);
    EXPECT_EQ(parse_number(shortest(value)), value);
  }
}

}  // namespace
}  // namespace sextant
