// SPDX-License-Identifier: Apache-2.0
#include "geometry/amplitude.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sextant {
namespace {

constexpr double kTolerance = 1e-7;  // promised relative error

double poisson_by_definition(double lambda) {
  long double sum = 0.0L;
  for (int k = 1; k < 3000; ++k) {
    sum +=
        std::exp(k * std::log(static_cast<long double>(lambda)) - lambda - std::lgamma(k + 1.0L)) *
        std::sqrt(static_cast<long double>(k));
  }
  return static_cast<double>(sum);
}

double binomial_by_definition(int n, double p) {
  long double sum = 0.0L;
  for (int k = 1; k <= n; ++k) {
    sum += std::exp(std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(n - k + 1.0L) +
                    k * std::log(static_cast<long double>(p)) +
                    (n - k) * std::log1p(-static_cast<long double>(p))) *
           std::sqrt(static_cast<long double>(k));
  }
  return static_cast<double>(sum);
}

TEST(MeanRootPoisson, IsTheMeanByDefinition) {
  for (const double lambda : {0.01, 0.5, 3.0, 29.0, 49.9, 50.1, 200.0, 1500.0}) {
    const double expected = poisson_by_definition(lambda);
    EXPECT_NEAR(mean_root_poisson(lambda), expected, kTolerance * expected) << lambda;
  }
  EXPECT_EQ(mean_root_poisson(0.0), 0.0);
}

TEST(MeanRootBinomial, IsTheMeanByDefinition) {
  for (const double keep : {0.02, 0.3, 0.77, 0.999}) {
    for (const int count : {1, 2, 40, 70, 400, 6000}) {
      const double expected = binomial_by_definition(count, keep);
      EXPECT_NEAR(mean_root_binomial(count, keep), expected, kTolerance * expected)
          << count << " " << keep;
    }
  }
}

TEST(MeanRootBinomial, IsTheRootWhereNothingIsThinned) {
  EXPECT_EQ(mean_root_binomial(0, 1.0), 0.0);
  EXPECT_EQ(mean_root_binomial(49, 1.0), 7.0);
}

// Poisson(x) thinned by r is Poisson(r x): what makes unequal positions comparable.
TEST(MeanRootBinomial, MakesPoissonCountsOfThinnedMean) {
  for (const double lambda : {0.3, 5.0, 80.0}) {
    for (const double keep : {0.1, 0.6}) {
      double probability = std::exp(-lambda), sum = 0.0;
      for (int count = 1; count < 400; ++count) {
        probability *= lambda / count;
        sum += probability * mean_root_binomial(count, keep);
      }
      EXPECT_NEAR(sum, mean_root_poisson(keep * lambda), 2e-7 * sum);
    }
  }
}

TEST(ThinnedRoot, AgreesWithTheFunctionInsideAndBeyondItsTable) {
  const ThinnedRoot root(0.4);
  for (const int count : {0, 1, 17, 511, 512, 100000})
    EXPECT_EQ(root(count), mean_root_binomial(count, 0.4));
}

}  // namespace
}  // namespace sextant
