// SPDX-License-Identifier: Apache-2.0
#include "math/double_double.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/quad.h"

namespace sextant {
namespace {

constexpr int kPairs = 100000;

class Draw {
 public:
  // A number of any sign and size between 2^-range and 2^range.
  double number(double range) {
    return std::ldexp(signed_unit_(rng_), static_cast<int>(range * signed_unit_(rng_)));
  }
  DoubleDouble pair(double range) {
    const double high = number(range);
    return two_sum(high, std::ldexp(high, -54) * signed_unit_(rng_));
  }

 private:
  std::mt19937_64 rng_{20240607};
  std::uniform_real_distribution<double> signed_unit_{-1.0, 1.0};
};

TEST(TwoSum, LosesNothing) {
  Draw draw;
  for (int i = 0; i < kPairs; ++i) {
    const double a = draw.number(25), b = draw.number(25);
    const DoubleDouble sum = two_sum(a, b);
    EXPECT_EQ(sum.high, a + b);
    EXPECT_TRUE(quad(sum) == static_cast<Quad>(a) + static_cast<Quad>(b));
  }
}

TEST(TwoProd, SplittingGivesTheBitsOfFusedMultiplyAdd) {
  Draw draw;
  for (int i = 0; i < kPairs; ++i) {
    const double a = draw.number(400), b = draw.number(400);
    const double product = a * b;
    const DoubleDouble fused = {product, std::fma(a, b, -product)};
    EXPECT_EQ(two_prod_split(a, b), fused) << a << " * " << b;
    EXPECT_EQ(two_prod(a, b), fused) << a << " * " << b;
  }
}

TEST(TwoProd, IsExactForIntegers) {
  const double a = 9007199254740991.0;  // (2^53 - 1)^2 = 2^106 - 2^54 + 1
  EXPECT_EQ(two_prod_split(a, a), (DoubleDouble{0x1p106 - 0x1p54, 1.0}));
}

TEST(DoubleDouble, ArithmeticIsWithinItsBounds) {
  constexpr double kUnit = 0x1p-106;
  Draw draw;
  for (int i = 0; i < kPairs; ++i) {
    const DoubleDouble a = draw.pair(30), b = draw.pair(30);
    const double x = draw.number(30);
    EXPECT_LE(relative_error(a + b, quad(a) + quad(b)), 3 * kUnit);
    EXPECT_LE(relative_error(a * b, quad(a) * quad(b)), 5 * kUnit);
    EXPECT_LE(relative_error(a / b, quad(a) / quad(b)), 10 * kUnit);
    EXPECT_LE(relative_error(a + x, quad(a) + x), 3 * kUnit);
    EXPECT_LE(relative_error(a * x, quad(a) * x), 5 * kUnit);
    EXPECT_LE(relative_error(x - a, x - quad(a)), 3 * kUnit);
    EXPECT_LE(relative_error(x / a, x / quad(a)), 10 * kUnit);
  }
}

TEST(DoubleDouble, SubtractionKeepsTheRelativeErrorUnderCancellation) {
  const DoubleDouble a = {1.0, 0x1p-60}, b = {1.0, 0x1p-70};
  EXPECT_EQ(a - b, DoubleDouble(0x1p-60 - 0x1p-70));
}

TEST(DoubleDouble, OrderLooksAtBothWords) {
  const DoubleDouble one = 1.0, above = {1.0, 0x1p-70}, below = {1.0, -0x1p-70};
  EXPECT_LT(below, one);
  EXPECT_LT(one, above);
  EXPECT_GT(above, below);
  EXPECT_LE(one, one);
  EXPECT_GE(one, one);
  EXPECT_FALSE(above <= one);
}

TEST(DoubleDouble, AbsNegatesBothWords) {
  EXPECT_EQ(abs(DoubleDouble(-1.0, 0x1p-60)), DoubleDouble(1.0, -0x1p-60));
  EXPECT_EQ(abs(DoubleDouble(2.0, -0x1p-60)), DoubleDouble(2.0, -0x1p-60));
}

}  // namespace
}  // namespace sextant
