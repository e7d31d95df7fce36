// SPDX-License-Identifier: Apache-2.0
#include "theory/example_laws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace sextant {
namespace {

TEST(RandomLaws, ArePositiveAndSumToOne) {
  const Matrix laws = random_laws(7, 5, 3);
  for (Index i = 0; i < laws.rows(); ++i) {
    const auto row = laws.row(i);
    EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-15);
    for (const double value : row) EXPECT_GE(value, 0.0);
  }
  EXPECT_NE(laws(0, 0), laws(1, 0));
}

// The mean of a coordinate on the simplex of k words is 1/k, its variance (k-1)/(k^2 (k+1)).
TEST(RandomLaws, AreUniformOnTheSimplex) {
  constexpr Index kDraws = 20000;
  const Matrix laws = random_laws(kDraws, 3, 1);
  double sum = 0.0, squares = 0.0;
  for (Index i = 0; i < kDraws; ++i) {
    sum += laws(i, 0);
    squares += laws(i, 0) * laws(i, 0);
  }
  const double mean = sum / kDraws, variance = squares / kDraws - mean * mean;
  EXPECT_NEAR(mean, 1.0 / 3.0, 5.0 * std::sqrt(1.0 / 18.0 / kDraws));
  EXPECT_NEAR(variance, 1.0 / 18.0, 0.002);
}

TEST(HellingerOfLaws, OfDisjointLawsIsTheRootOfTwo) {
  const DistanceMatrix distances = hellinger_of_laws(Matrix::identity(3));
  for (const double value : distances.values()) EXPECT_NEAR(value, std::sqrt(2.0), 1e-15);
}

TEST(GramOfDistances, OfOneHotLawsIsTheCentringMatrix) {
  const Matrix b = gram_of_distances(hellinger_of_laws(Matrix::identity(4)));
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) EXPECT_NEAR(b(i, j), i == j ? 0.75 : -0.25, 1e-14);
}

TEST(RawStress, OfPointsAtOnePlaceIsOne) {
  const DistanceMatrix target = hellinger_of_laws(Matrix::identity(3));
  EXPECT_DOUBLE_EQ(raw_stress(target, Matrix(3, 2)), 1.0);
  EXPECT_NEAR(raw_stress(target, Matrix::identity(3)), 0.0, 1e-15);
}

}  // namespace
}  // namespace sextant
