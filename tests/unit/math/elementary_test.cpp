// SPDX-License-Identifier: Apache-2.0
#include "math/elementary.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include "support/quad.h"

namespace sextant {
namespace {

constexpr int kDraws = 50000;

class ElementaryTest : public testing::Test {
 protected:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(rng_);
  }
  DoubleDouble with_low_word(double high) {
    return two_sum(high, std::ldexp(high, -54) * uniform(-1.0, 1.0));
  }
  // Sizes spread over all exponents between the two.
  DoubleDouble of_any_size(int smallest, int largest) {
    const int exponent = static_cast<int>(uniform(smallest, largest));
    return with_low_word(std::ldexp(uniform(-1.0, 1.0), exponent));
  }

  std::mt19937_64 rng_{20240607};
};

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

using Exp = ElementaryTest;
using Log = ElementaryTest;
using RationalPower = ElementaryTest;
using Power = ElementaryTest;
using SquareRoot = ElementaryTest;
using CosSinOf = ElementaryTest;

TEST_F(Exp, IsWithinItsBound) {
  for (int i = 0; i < kDraws; ++i) {
    const DoubleDouble x = with_low_word(uniform(-600.0, 700.0));
    ASSERT_LT(relative_error(exp(x), expq(quad(x))), 0x1p-100) << x.high;
  }
}

TEST_F(Exp, OverflowsToInfinityAndUnderflowsToZero) {
  EXPECT_EQ(exp(DoubleDouble(0.0)), DoubleDouble(1.0));
  EXPECT_EQ(exp(DoubleDouble(709.7)).high, exp(DoubleDouble(709.7)).high);
  EXPECT_TRUE(std::isfinite(exp(DoubleDouble(709.78)).high));
  EXPECT_EQ(exp(DoubleDouble(709.79)), DoubleDouble(HUGE_VAL));
  EXPECT_EQ(exp(DoubleDouble(1e300)), DoubleDouble(HUGE_VAL));
  EXPECT_GT(exp(DoubleDouble(-744.0)).high, 0.0);
  EXPECT_EQ(exp(DoubleDouble(-746.0)), DoubleDouble(0.0));
  EXPECT_TRUE(std::isnan(exp(DoubleDouble(NAN)).high));
}

TEST_F(Log, IsWithinItsBound) {
  for (int i = 0; i < kDraws; ++i) {
    const DoubleDouble x = abs(of_any_size(-300, 300));
    const Quad exact = logq(quad(x));
    ASSERT_LT(absolute_error(log(x), exact), 0x1p-100 * (1.0 + std::abs(log(x).high))) << x.high;
  }
}

TEST_F(Log, KeepsItsDigitsNearOne) {
  EXPECT_EQ(log(DoubleDouble(1.0)), DoubleDouble(0.0));
  for (int i = 0; i < kDraws; ++i) {
    const DoubleDouble x = 1.0 + of_any_size(-45, -7);
    ASSERT_LT(relative_error(log(x), log1pq(quad(x - 1.0))), 0x1p-95) << x.high;
  }
}

TEST_F(RationalPower, IsWithinItsBoundForEveryBaseUpToATrillion) {
  for (int i = 0; i < kDraws; ++i) {
    const double base = std::exp(uniform(0.0, 27.6));
    const Index d = 2 * static_cast<Index>(uniform(1.0, 4096.0));
    const Index p = -2 * static_cast<Index>(uniform(0.0, static_cast<double>(d) / 2.0));
    const Quad exact = quad_power(base, static_cast<double>(p), static_cast<double>(d));
    ASSERT_LT(relative_error(rational_power(base, p, d), exact), 0x1p-101)
        << base << "^(" << p << "/" << d << ")";
  }
}

TEST_F(RationalPower, IsExactWhereTheAnswerIsAPowerOfTwo) {
  for (Index h = -300; h <= 300; ++h) {
    const DoubleDouble expected = std::ldexp(1.0, static_cast<int>(h));
    EXPECT_EQ(rational_power(2.0, h, 1), expected) << h;
    EXPECT_EQ(rational_power(2.0, 8 * h, 8), expected) << h;
    EXPECT_EQ(rational_power(16.0, h, 4), expected) << h;
  }
}

TEST_F(RationalPower, KnowsTrivialExponentsAndBases) {
  EXPECT_EQ(rational_power(10000.0, 0, 64), DoubleDouble(1.0));
  EXPECT_EQ(rational_power(1.0, -17, 64), DoubleDouble(1.0));
  EXPECT_EQ(rational_power(10000.0, 64, 64), DoubleDouble(10000.0));
  EXPECT_EQ(rational_power(3.0, -5, 5), 1.0 / DoubleDouble(3.0));
  EXPECT_LT(relative_error(rational_power(10000.0, -1, 4), static_cast<Quad>(1) / 10), 0x1p-101);
}

TEST_F(RationalPower, DependsOnTheRatioAlone) {
  for (Index i = 1; i < 64; ++i) {
    EXPECT_EQ(rational_power(10000.0, -2 * i, 128), rational_power(10000.0, -i, 64));
  }
}

TEST_F(Power, AgreesWithQuadArithmetic) {
  for (int i = 0; i < kDraws; ++i) {
    const DoubleDouble base = with_low_word(std::exp(uniform(-20.0, 20.0)));
    const DoubleDouble exponent = with_low_word(uniform(-10.0, 10.0));
    const Quad exact = powq(quad(base), quad(exponent));
    ASSERT_LT(relative_error(power(base, exponent), exact), 0x1p-96) << base.high;
  }
}

TEST_F(Power, OfOneAndToThePowerZeroIsOne) {
  EXPECT_EQ(power(7.0, 0.0), DoubleDouble(1.0));
  EXPECT_EQ(power(1.0, 7.5), DoubleDouble(1.0));
  EXPECT_EQ(power(2.0, -3.0), DoubleDouble(0.125));
}

TEST_F(SquareRoot, IsExactForSquaresAndCloseElsewhere) {
  EXPECT_EQ(square_root(0.0), DoubleDouble(0.0));
  EXPECT_EQ(square_root(144.0), DoubleDouble(12.0));
  for (int i = 0; i < kDraws; ++i) {
    const DoubleDouble x = abs(of_any_size(-100, 100));
    ASSERT_LT(relative_error(square_root(x), sqrtq(quad(x))), 0x1p-102) << x.high;
  }
}

TEST_F(CosSinOf, IsWithinItsBoundUpToTheLargestAngle) {
  for (int i = 0; i < kDraws; ++i) {
    const DoubleDouble x = of_any_size(-40, 42);
    const CosSin value = cos_sin(x);
    const double slack = 0x1p-104 * std::abs(x.high);
    const Quad cosine = cosq(quad(x)), sine = sinq(quad(x));
    ASSERT_LT(absolute_error(value.cos, cosine), 0x1p-95 * std::abs(value.cos.high) + slack)
        << x.high;
    ASSERT_LT(absolute_error(value.sin, sine), 0x1p-95 * std::abs(value.sin.high) + slack)
        << x.high;
  }
}

TEST_F(CosSinOf, KeepsItsDigitsWhereSineAndCosineVanish) {
  for (int k = 1; k < 2000; ++k) {
    const double nearest = static_cast<double>(k * acosq(0));
    const CosSin value = cos_sin(DoubleDouble(nearest));
    const double slack = 0x1p-104 * nearest;
    EXPECT_LT(absolute_error(value.cos, cosq(static_cast<Quad>(nearest))),
              0x1p-95 * std::abs(value.cos.high) + slack);
    EXPECT_LT(absolute_error(value.sin, sinq(static_cast<Quad>(nearest))),
              0x1p-95 * std::abs(value.sin.high) + slack);
  }
  const DoubleDouble tiny = {0x1.8p-300, 0x1p-360};
  EXPECT_EQ(cos_sin(tiny).sin, tiny);
}

TEST_F(CosSinOf, ZeroIsExact) {
  EXPECT_EQ(cos_sin(DoubleDouble(0.0)).cos, DoubleDouble(1.0));
  EXPECT_EQ(cos_sin(DoubleDouble(0.0)).sin, DoubleDouble(0.0));
  EXPECT_EQ(cos_sin(5.0, 0.0).cos, DoubleDouble(1.0));
}

TEST_F(CosSinOf, CosineIsEvenAndSineIsOddToTheLastBit) {
  for (int i = 0; i < kDraws; ++i) {
    const DoubleDouble x = of_any_size(-40, 42);
    const CosSin there = cos_sin(x), back = cos_sin(-x);
    ASSERT_EQ(there.cos, back.cos);
    ASSERT_EQ(bits(there.sin.high), bits(-back.sin.high));
    ASSERT_EQ(there.sin.low, -back.sin.low);
  }
}

TEST_F(CosSinOf, NeverLeavesTheUnitInterval) {
  for (int i = 0; i < kDraws; ++i) {
    const DoubleDouble near_turn = DoubleDouble(static_cast<double>(i)) *
                                   DoubleDouble(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
    for (const DoubleDouble& x : {near_turn, near_turn + uniform(-1e-14, 1e-14)}) {
      ASSERT_LE(abs(cos_sin(x).cos), DoubleDouble(1.0));
      ASSERT_LE(abs(cos_sin(x).sin), DoubleDouble(1.0));
    }
  }
}

TEST_F(CosSinOf, SquaresAddUpToOne) {
  for (int i = 0; i < kDraws; ++i) {
    const CosSin value = cos_sin(of_any_size(-20, 30));
    const DoubleDouble sum = value.cos * value.cos + value.sin * value.sin;
    ASSERT_LT(std::abs((sum - 1.0).high), 0x1p-100);
  }
}

}  // namespace
}  // namespace sextant
