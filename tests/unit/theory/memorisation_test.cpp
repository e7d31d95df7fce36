// SPDX-License-Identifier: Apache-2.0
#include "theory/memorisation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace sextant {
namespace {

TEST(ReadoutError, IsWhatALineLeavesOfAParabola) {
  Matrix line(5, 1);
  Vector squares;
  for (Index i = 0; i < 5; ++i) {
    line(i, 0) = 3.0 * static_cast<double>(i - 2) + 1.0;
    squares.push_back(static_cast<double>((i - 2) * (i - 2)));
  }
  EXPECT_NEAR(readout_error(line, squares), 2.8, 1e-12);  // the variance of 4, 1, 0, 1, 4
  EXPECT_NEAR(readout_error(line, Vector{-2.0, -1.0, 0.0, 1.0, 2.0}), 0.0, 1e-12);
}

TEST(ReadoutError, TakesRoundingForNoFeature) {
  Matrix constant(4, 1);
  for (Index i = 0; i < 4; ++i) constant(i, 0) = 1.0 + 1e-15 * static_cast<double>(i);
  EXPECT_NEAR(readout_error(constant, Vector{1.0, 2.0, 3.0, 4.0}), 1.25, 1e-12);
}

TEST(BinarySequences, AreAllOrASampleThatHoldsItsReversals) {
  EXPECT_EQ(binary_sequences(6, 64, 1).size(), 64U);
  const std::vector<std::string> sample = binary_sequences(8, 64, 1);
  const std::set<std::string> seen(sample.begin(), sample.end());
  EXPECT_EQ(seen.size(), sample.size());
  EXPECT_LE(sample.size(), 64U);
  EXPECT_GE(sample.size(), 62U);
  EXPECT_TRUE(seen.contains("00000000") && seen.contains("11111111"));
  for (const std::string& x : sample)
    EXPECT_TRUE(seen.contains(std::string(x.rbegin(), x.rend()))) << x;
}

// Without attention every pair with the same symbol gives the same output: two orbits at most.
TEST(Memorisation, OfTokensAloneHasOneFeatureASymbol) {
  const TransformerShape shape{.layers = 0, .dim = 8, .heads = 1};
  const Memorisation result = memorise(Transformer::random(shape, 1), {}, {.permutations = true},
                                       binary_sequences(3, 64, 1), 1);
  EXPECT_EQ(result.pairs, 24);
  EXPECT_EQ(result.orbits, 6);
  EXPECT_EQ(result.rank, 2);
  EXPECT_GE(result.error, result.least);
}

// Where every pair is an orbit of its own, targets vary within none: no rounding is left.
TEST(Memorisation, LeavesNothingBySymmetryWhereThereIsNone) {
  const TransformerShape shape{.layers = 0, .dim = 8, .heads = 1};
  const Memorisation result =
      memorise(Transformer::random(shape, 1), {}, {}, binary_sequences(6, 64, 1), 1);
  EXPECT_EQ(result.orbits, 384);
  EXPECT_EQ(result.least, 0.0);
}

}  // namespace
}  // namespace sextant
