// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace sextant {
namespace {

// Random123's tests/kat_vectors, lines "philox4x32 10": the counter is (counter, stream), the key
// the seed, and at() is the first two of the four words, low word first.
TEST(Rng, MatchesThePublishedAnswersOfPhilox) {
  EXPECT_EQ(Rng(0, 0).at(0), 0xe169c58d6627e8d5);
  constexpr std::uint64_t kOnes = ~std::uint64_t{0};
  EXPECT_EQ(Rng(kOnes, kOnes).at(kOnes), 0x41c83b0e408f276d);
  EXPECT_EQ(Rng(0x299f31d0a4093822, 0x0370734413198a2e).at(0x85a308d3243f6a88), 0x94fdccebd16cfe09);
}

TEST(Rng, SeparatesSeedsStreamsAndCounters) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (std::uint64_t stream = 0; stream < 10; ++stream)
      for (std::uint64_t counter = 0; counter < 10; ++counter)
        seen.insert(Rng(seed, stream).at(counter));
  EXPECT_EQ(seen.size(), 1000u);
}

// 1 - 2 exp(-2 lambda^2) at lambda = 1.95: the Kolmogorov-Smirnov level of 0.999.
constexpr double kKolmogorovSmirnov = 1.95;
constexpr std::size_t kDraws = 20000;

double distance_to_uniform(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto rank = static_cast<double>(i);
    worst = std::max({worst, values[i] - rank / n, (rank + 1.0) / n - values[i]});
  }
  return worst * std::sqrt(n);
}

TEST(Rng, DrawsUniformNumbers) {
  const Rng rng(1, 2);
  std::vector<double> values(kDraws);
  for (std::size_t i = 0; i < kDraws; ++i) {
    values[i] = rng.uniform(i);
    ASSERT_GE(values[i], 0.0);
    ASSERT_LT(values[i], 1.0);
  }
  EXPECT_LT(distance_to_uniform(values), kKolmogorovSmirnov);
}

TEST(Rng, DrawsNormalNumbers) {
  const Rng rng(1, 3);
  std::vector<double> values(kDraws);
  for (std::size_t i = 0; i < kDraws; ++i)
    values[i] = 0.5 * std::erfc(-rng.normal(i) / std::sqrt(2.0));
  EXPECT_LT(distance_to_uniform(values), kKolmogorovSmirnov);
}

// Wichura (1988), check values of PPND16.
TEST(LowerNormalQuantile, MatchesThePublishedCheckValues) {
  EXPECT_NEAR(lower_normal_quantile(0.25), -0.6744897501960817, 1e-15);
  EXPECT_NEAR(lower_normal_quantile(0.001), -3.090232306167814, 4e-15);
  EXPECT_NEAR(lower_normal_quantile(1e-20), -9.262340089798408, 1e-14);
}

TEST(LowerNormalQuantile, InvertsTheDistributionOverItsRange) {
  EXPECT_EQ(lower_normal_quantile(0.5), 0.0);
  for (double p = 0x1p-54; p < 0.5; p *= 1.01) {
    // d(log P)/dz is about |z|: a relative error of 1e-15 in z grows by z^2 < 70.
    const double back = 0.5 * std::erfc(-lower_normal_quantile(p) / std::sqrt(2.0));
    EXPECT_NEAR(back / p, 1.0, 1e-13) << p;
  }
}

TEST(LowerNormalQuantile, JoinsItsThreeRanges) {
  for (const double join : {0.075, std::exp(-25.0)}) {
    const double below = lower_normal_quantile(join * (1.0 - 1e-9));
    const double above = lower_normal_quantile(join * (1.0 + 1e-9));
    EXPECT_LT(below, above);
    EXPECT_NEAR(below, above, 1e-8);
  }
}

}  // namespace
}  // namespace sextant
