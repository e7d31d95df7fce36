// SPDX-License-Identifier: Apache-2.0
#include "base/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "support/quad.h"

namespace sextant {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ToFloat, IsNotFooledByATieThatTheLowWordBreaks) {
  const double tie = 1.0 + 0x1p-24;  // halfway between 1 and the next float
  EXPECT_EQ(to_float(tie), 1.0f);
  EXPECT_EQ(to_float({tie, 0x1p-80}), 1.0f + 0x1p-23f);
  EXPECT_EQ(to_float({tie, -0x1p-80}), 1.0f);
  EXPECT_EQ(to_float({-tie, -0x1p-80}), -1.0f - 0x1p-23f);
  EXPECT_EQ(to_float({-tie, 0x1p-80}), -1.0f);
  const double odd_tie = 1.0 + 3 * 0x1p-24;  // rounds up by itself
  EXPECT_EQ(to_float(odd_tie), 1.0f + 0x1p-22f);
  EXPECT_EQ(to_float({odd_tie, -0x1p-80}), 1.0f + 0x1p-23f);
}

TEST(ToFloat, RoundsAsTheQuadValueDoes) {
  std::mt19937_64 rng(20240607);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  for (int i = 0; i < 200000; ++i) {
    const double high = std::ldexp(unit(rng), static_cast<int>(150 * unit(rng)));
    const DoubleDouble x = {high, std::ldexp(high, -54) * unit(rng)};
    ASSERT_EQ(to_float(x), static_cast<float>(quad(x))) << high;
  }
}

TEST(ToFloat, KeepsInfinityAndNan) {
  EXPECT_EQ(to_float(kInfinity), std::numeric_limits<float>::infinity());
  EXPECT_EQ(to_float(-1e300), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(to_float(NAN)));
}

TEST(ToDouble, AddsTheWords) {
  EXPECT_EQ(to_double({1.0, 0x1p-60}), 1.0);
  EXPECT_EQ(to_double({0.0, 0x1p-60}), 0x1p-60);
}

TEST(ToHalf, KnowsTheLandmarksOfTheFormat) {
  EXPECT_EQ(to_half(0.0), 0x0000);
  EXPECT_EQ(to_half(-0.0), 0x8000);
  EXPECT_EQ(to_half(1.0), 0x3c00);
  EXPECT_EQ(to_half(-2.0), 0xc000);
  EXPECT_EQ(to_half(65504.0), 0x7bff);  // the largest
  EXPECT_EQ(to_half(std::nextafter(65520.0, 0.0)), 0x7bff);
  EXPECT_EQ(to_half(65520.0), 0x7c00);  // the tie above it
  EXPECT_EQ(to_half(1e300), 0x7c00);
  EXPECT_EQ(to_half(-kInfinity), 0xfc00);
  EXPECT_EQ(to_half(0x1p-14), 0x0400);  // the smallest normal
  EXPECT_EQ(to_half(0x1p-24), 0x0001);  // the smallest
  EXPECT_EQ(to_half(0x1p-25), 0x0000);  // a tie, to even
  EXPECT_EQ(to_half(std::nextafter(0x1p-25, 1.0)), 0x0001);
  EXPECT_EQ(to_half(1e-300), 0x0000);
  EXPECT_TRUE(std::isnan(from_half(to_half(NAN))));
}

TEST(ToBfloat16, KnowsTheLandmarksOfTheFormat) {
  EXPECT_EQ(to_bfloat16(1.0), 0x3f80);
  EXPECT_EQ(to_bfloat16(-1.0), 0xbf80);
  EXPECT_EQ(to_bfloat16(1.0 + 0x1p-8), 0x3f80);  // a tie, to even
  EXPECT_EQ(to_bfloat16(1.0 + 3 * 0x1p-8), 0x3f82);
  EXPECT_EQ(to_bfloat16(0x1p-126), 0x0080);
  EXPECT_EQ(to_bfloat16(0x1p-133), 0x0001);
  EXPECT_EQ(to_bfloat16(0x1p-134), 0x0000);
  EXPECT_EQ(to_bfloat16(0x1.fep127), 0x7f7f);
  EXPECT_EQ(to_bfloat16(0x1.ffp127), 0x7f80);
  EXPECT_EQ(to_bfloat16(kInfinity), 0x7f80);
  EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(-NAN))));
}

TEST(ShortTypes, EveryPatternSurvivesTheWayThroughDouble) {
  for (int pattern = 0; pattern < 0x10000; ++pattern) {
    const auto bits = static_cast<std::uint16_t>(pattern);
    if (!std::isnan(from_half(bits))) {
      EXPECT_EQ(to_half(from_half(bits)), bits);
    }
    if (!std::isnan(from_bfloat16(bits))) {
      EXPECT_EQ(to_bfloat16(from_bfloat16(bits)), bits);
    }
  }
}

TEST(ShortTypes, TheMiddleOfTwoNeighboursGoesToTheEvenOne) {
  for (int pattern = 0; pattern < 0x7bff; ++pattern) {
    const auto here = static_cast<std::uint16_t>(pattern);
    const auto next = static_cast<std::uint16_t>(pattern + 1);
    const auto even = pattern % 2 == 0 ? here : next;
    const double half_middle = (from_half(here) + from_half(next)) / 2;
    EXPECT_EQ(to_half(half_middle), even);
    EXPECT_EQ(to_half(std::nextafter(half_middle, 0.0)), here);
    EXPECT_EQ(to_half(std::nextafter(half_middle, kInfinity)), next);
    const double bfloat16_middle = (from_bfloat16(here) + from_bfloat16(next)) / 2;
    EXPECT_EQ(to_bfloat16(bfloat16_middle), even);
    EXPECT_EQ(to_bfloat16(std::nextafter(bfloat16_middle, 0.0)), here);
    EXPECT_EQ(to_bfloat16(std::nextafter(bfloat16_middle, kInfinity)), next);
  }
}

}  // namespace
}  // namespace sextant
