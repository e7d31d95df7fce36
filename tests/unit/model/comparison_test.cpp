// SPDX-License-Identifier: Apache-2.0
#include "model/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "model/conversion.h"

namespace sextant {
namespace {

RotaryOperator one_pair(double w, double magnitude = 1.0) {
  RotaryOperator result;
  result.inv_freq = {w};
  result.magnitude = magnitude;
  result.head_dim = result.rotary_dim = 2;
  return result;
}

TEST(CompareOperators, FindsNothingBetweenEqualOnes) {
  const RotaryOperator rope = operator_of("rope(base=500000)", 128);
  const OperatorComparison same = compare_operators(rope, rope, 4096);
  EXPECT_TRUE(same.equal());
  EXPECT_TRUE(same.differing.empty());
  for (const FirstDeparture& departure : same.departures) EXPECT_FALSE(departure.position);
  for (const LogitDifference& logit : same.logits) EXPECT_EQ(logit.relative, 0.0);
}

// cos 2x - cos x passes -h where 2c^2 - c - 1 + h = 0 for c = cos x.
TEST(CompareOperators, FindsTheFirstPositionOfHalfTheFrequency) {
  constexpr double kFrequency = 0.003;
  const OperatorComparison halved =
      compare_operators(one_pair(2.0 * kFrequency), one_pair(kFrequency), 100000);
  ASSERT_EQ(halved.departures.size(), std::size(kCosineThresholds));
  for (const FirstDeparture& departure : halved.departures) {
    const double c = (1.0 + std::sqrt(9.0 - 8.0 * departure.threshold)) / 4.0;
    ASSERT_TRUE(departure.position);
    EXPECT_EQ(departure.position.value_or(0),
              static_cast<Index>(std::floor(std::acos(c) / kFrequency)) + 1);
  }
  EXPECT_EQ(halved.differing, std::vector<Index>{0});
  EXPECT_DOUBLE_EQ(halved.largest_relative, 0.5);
  EXPECT_DOUBLE_EQ(halved.phase_per_position, kFrequency);
}

TEST(CompareOperators, TellsAMagnitudeFromPositionZeroOn) {
  const OperatorComparison scaled = compare_operators(one_pair(0.1), one_pair(0.1, 1.05), 4096);
  EXPECT_FALSE(scaled.equal());
  EXPECT_TRUE(scaled.differing.empty());
  EXPECT_DOUBLE_EQ(scaled.magnitude_ratio, 1.05);
  EXPECT_EQ(scaled.departures[0].position, 0);
  EXPECT_EQ(scaled.departures[1].position, 0);
  EXPECT_FALSE(scaled.departures[2].position);  // |delta cos| <= 0.05 everywhere
}

// Every position by the definition, in long double.
TEST(CompareOperators, SkipsNoPositionThatPasses) {
  const RotaryOperator a = operator_of("rope", 32);
  const RotaryOperator b = operator_of("rope(scaling=yarn,factor=4,original=512)", 32);
  constexpr Index kHorizon = 3000;
  const OperatorComparison found = compare_operators(a, b, kHorizon);
  const auto cosine = [](const RotaryOperator& each, std::size_t i, Index t) {
    const long double w = static_cast<long double>(each.inv_freq[i].high) + each.inv_freq[i].low;
    return static_cast<long double>(each.magnitude.high) *
           std::cos(static_cast<long double>(t) * w);
  };
  for (const FirstDeparture& departure : found.departures) {
    Index first = kHorizon;
    for (Index t = 0; t < first; ++t)
      for (std::size_t i = 0; i < a.inv_freq.size(); ++i)
        if (std::abs(cosine(a, i, t) - cosine(b, i, t)) > departure.threshold) first = t;
    EXPECT_EQ(departure.position.value_or(kHorizon), first) << departure.threshold;
  }
}

TEST(CompareOperators, SearchesAsFarAsTheHorizonAndNoFurther) {
  const RotaryOperator a = one_pair(1e-3), b = one_pair(1e-3 + 1e-9);
  EXPECT_FALSE(compare_operators(a, b, 1000).departures[0].position);
  EXPECT_TRUE(compare_operators(a, b, kLongestHorizon).departures[0].position);
}

// |1 - e^(ix)| = 2 |sin(x/2)|; with r = m'^2 s'/(m^2 s) alone |1 - r|.
TEST(LogitDifference, IsTheChordOfTheAngle) {
  const LogitDifference turned = logit_difference(one_pair(0.5), one_pair(0.25), 3);
  EXPECT_NEAR(turned.relative, 2.0 * std::sin(0.375), 1e-15);
  EXPECT_NEAR(logit_difference(one_pair(0.5), one_pair(0.5, 1.1), 3).relative, 0.21, 1e-15);
  RotaryOperator doubled = one_pair(0.5);
  doubled.softmax_factor = 2.0;
  EXPECT_NEAR(logit_difference(one_pair(0.5), doubled, 7).relative, 1.0, 1e-15);
}

TEST(CompareOperators, GivesLagsByPowersOfSixteenAndTheEnd) {
  const OperatorComparison found = compare_operators(one_pair(0.1), one_pair(0.2), 1000);
  std::vector<Index> lags;
  for (const LogitDifference& logit : found.logits) lags.push_back(logit.lag);
  EXPECT_EQ(lags, (std::vector<Index>{1, 16, 256, 999}));
}

// The ramp of gpt-oss is 8.0928..17.3980, with rounded ends 8..18: pairs 0 to 8 are kept and 18 to
// 31 divided under both.
TEST(CompareOperators, SeesTheRoundedRampOfYarn) {
  const std::string spec = "rope(base=150000,scaling=yarn,factor=32,original=4096";
  const RotaryOperator exact = operator_of(spec + ",truncate=false)", 64);
  const RotaryOperator rounded = operator_of(spec + ")", 64);
  const OperatorComparison found = compare_operators(exact, rounded, 4096);
  EXPECT_EQ(found.differing, (std::vector<Index>{9, 10, 11, 12, 13, 14, 15, 16, 17}));
  EXPECT_TRUE(found.same_magnitude);
  const double ladder = std::pow(150000.0, -26.0 / 64.0);
  const auto blended = [&](double ramp) { return ladder * (1.0 - ramp + ramp / 32.0); };
  EXPECT_NEAR(rounded.inv_freq[13].high, blended(0.5), 1e-15);
  EXPECT_NEAR(exact.inv_freq[13].high, blended((13.0 - 8.0928) / (17.3980 - 8.0928)), 1e-7);
}

TEST(CompareOperators, TakesAMissingPairAsOneThatDoesNotTurn) {
  const OperatorComparison found =
      compare_operators(operator_of("rope", 8), operator_of("rope(partial=0.5)", 8), 64);
  EXPECT_EQ(found.pairs, 4);
  EXPECT_FALSE(found.same_rotary_dim);
  EXPECT_EQ(found.differing, (std::vector<Index>{1, 2, 3}));
}

}  // namespace
}  // namespace sextant
