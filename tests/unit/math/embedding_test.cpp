// SPDX-License-Identifier: Apache-2.0
// From distances to points: classical scaling, stress majorisation, ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sextant/error.h"
#include "sextant/geometry.h"
#include "support/random_points.h"

namespace sextant {
namespace {

DistanceMatrix squared(DistanceMatrix d) {
  for (double& value : d.values()) value *= value;
  return d;
}

Matrix gram_of(const DistanceMatrix& d) { return gram_of_squared(squared(d)); }

DistanceMatrix equidistant(Index n, double distance) {
  DistanceMatrix d(n);
  std::fill(d.values().begin(), d.values().end(), distance);
  return d;
}

double raw_stress(const DistanceMatrix& target, const Matrix& points) {
  const DistanceMatrix* const targets[] = {&target};
  return pair_sums(targets, *distances_of_rows(points))[0].raw();
}

TEST(GramOfSquared, OfCentredPointsIsTheirProducts) {
  Matrix points = random_points(50, 4, 1);
  for (Index k = 0; k < 4; ++k) {
    double mean = 0.0;
    for (Index i = 0; i < 50; ++i) mean += points(i, k) / 50.0;
    for (Index i = 0; i < 50; ++i) points(i, k) -= mean;
  }
  const Matrix b = gram_of(stored(*distances_of_rows(points)));
  for (Index i = 0; i < 50; ++i) {
    for (Index j = 0; j < 50; ++j) {
      double product = 0.0;
      for (Index k = 0; k < 4; ++k) product += points(i, k) * points(j, k);
      ASSERT_NEAR(b(i, j), product, 1e-12);
      ASSERT_EQ(b(i, j), b(j, i));
    }
  }
}

// Points at equal distances, as of disjoint laws: the means of the rows are as large as what is
// left.
TEST(GramOfSquared, OfARegularSimplexHasNoEigenvalueBelowRounding) {
  for (const Index n : {50, 150, 200, 700, 1500}) {
    DistanceMatrix squared(n);
    for (double& value : squared.values()) value = std::sqrt(2.0) * std::sqrt(2.0);
    const Vector values = eigenvalues(gram_of_squared(squared));
    const double rounding = 10.0 * static_cast<double>(n) * 0x1p-52;
    EXPECT_NEAR(values.front(), 1.0, rounding);
    EXPECT_NEAR(values.back(), 0.0, rounding) << n;
  }
}

TEST(ClassicalMds, PutsALineIntoOneDimension) {
  constexpr Index kCount = 64;
  Matrix line(kCount, 1);
  for (Index i = 0; i < kCount; ++i) line(i, 0) = static_cast<double>(i);
  const Matrix b = gram_of(stored(*distances_of_rows(line)));
  const Embedding e = classical_mds(b, 2);
  EXPECT_NEAR(e.eigenvalues[0], 64.0 * (64.0 * 64.0 - 1.0) / 12.0, 1e-8);
  EXPECT_NEAR(e.eigenvalues[1], 0.0, 1e-8);
  for (Index i = 1; i < kCount; ++i) {
    EXPECT_NEAR(std::abs(e.points(i, 0) - e.points(i - 1, 0)), 1.0, 1e-9);
  }
  EXPECT_EQ(ranks(eigenvalues(b)).numerical, 1);
}

TEST(ClassicalMds, GivesACircleTwoEqualEigenvalues) {
  constexpr Index kCount = 30;
  Matrix circle(kCount, 2);
  for (Index i = 0; i < kCount; ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / kCount;
    circle(i, 0) = std::cos(angle);
    circle(i, 1) = std::sin(angle);
  }
  const Embedding e = classical_mds(gram_of(stored(*distances_of_rows(circle))), 3);
  EXPECT_NEAR(e.eigenvalues[0], kCount / 2.0, 1e-12);
  EXPECT_NEAR(e.eigenvalues[1], kCount / 2.0, 1e-12);
  EXPECT_NEAR(e.eigenvalues[2], 0.0, 1e-12);
}

TEST(ClassicalMds, GivesARegularSimplexAFlatSpectrum) {
  const Vector values = eigenvalues(gram_of(equidistant(12, 3.0)));
  for (std::size_t k = 0; k < 11; ++k) EXPECT_NEAR(values[k], 4.5, 1e-12);
  EXPECT_NEAR(values[11], 0.0, 1e-12);
}

TEST(ClassicalMds, IsExactOnceTheRankIsReached) {
  const DistanceMatrix d = stored(*distances_of_rows(random_points(80, 5, 2)));
  const Matrix b = gram_of(d);
  EXPECT_LT(raw_stress(d, classical_mds(b, 5).points), 1e-10);
  EXPECT_LT(raw_stress(d, classical_mds(b, 9).points), 1e-10);
  EXPECT_GT(raw_stress(d, classical_mds(b, 4).points), 1e-3);
}

TEST(ClassicalMds, GivesZerosForNegativeEigenvaluesAndBeyondTheSize) {
  DistanceMatrix d(3);  // breaks the triangle inequality
  d.values()[0] = d.values()[2] = 1.0;
  d.values()[1] = 5.0;
  const Embedding e = classical_mds(gram_of(d), 5);
  EXPECT_LT(e.eigenvalues[2], -0.1);
  EXPECT_EQ(e.points.cols(), 5);
  for (Index i = 0; i < 3; ++i) {
    for (Index k = 2; k < 5; ++k) EXPECT_EQ(e.points(i, k), 0.0);
  }
}

TEST(ClassicalMds, OfFewPointsIsTrivial) {
  EXPECT_EQ(classical_mds(gram_of(DistanceMatrix(1)), 1).points(0, 0), 0.0);
  const DistanceMatrix two = equidistant(2, 7.0);
  const Embedding e = classical_mds(gram_of(two), 1);
  EXPECT_NEAR(std::abs(e.points(0, 0) - e.points(1, 0)), 7.0, 1e-14);
  EXPECT_LT(raw_stress(two, e.points), 1e-14);
  EXPECT_THROW(classical_mds(Matrix(2, 2), -1), Error);
}

// Three points at distance sqrt 2 on a line: the leading eigenvalue is double; its best vector
// (1, 0, -1)/sqrt 2 has stress 1/6, the optimum has gaps of 2/3 sqrt 2 and stress 1/9.
TEST(Smacof, FindsTheOptimumForThreeOneHotPoints) {
  const DistanceMatrix d = equidistant(3, std::numbers::sqrt2);
  Matrix best(3, 1);
  best(0, 0) = std::sqrt(0.5);
  best(2, 0) = -best(0, 0);
  EXPECT_NEAR(raw_stress(d, best), 1.0 / 6.0, 1e-15);
  const SmacofResult from_best = smacof(d, best);
  EXPECT_NEAR(from_best.stress_raw, 1.0 / 9.0, 1e-9);
  EXPECT_TRUE(from_best.converged);

  Matrix worst(3, 1);  // (2, -1, -1)/sqrt 6: two points coincide
  worst(0, 0) = 2.0 / std::sqrt(6.0);
  worst(1, 0) = worst(2, 0) = -1.0 / std::sqrt(6.0);
  EXPECT_NEAR(raw_stress(d, worst), 0.345, 1e-3);
  EXPECT_NEAR(smacof(d, worst).stress_raw, 1.0 / 9.0, 1e-9);
}

TEST(Smacof, NeverEndsAboveClassicalScaling) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Index n = 4 + static_cast<Index>(seed) * 3, rank = 1 + static_cast<Index>(seed) % 4;
    DistanceMatrix d = stored(*distances_of_rows(random_points(n, 6, seed)));
    if (seed % 2 == 1) {  // far from Euclidean
      for (double& value : d.values()) value = value * value * value;
    }
    const Matrix start = classical_mds(gram_of(d), rank).points;
    const SmacofResult found = smacof(d, start);
    EXPECT_LE(found.stress_raw, raw_stress(d, start) * (1.0 + 1e-12)) << seed;
    EXPECT_NEAR(found.stress_raw, raw_stress(d, found.points), 1e-12) << seed;
  }
}

TEST(Smacof, RecoversPointsFromADisturbedStart) {
  const Matrix points = random_points(40, 2, 21), noise = random_points(40, 2, 22);
  Matrix start = points;
  for (std::size_t i = 0; i < start.values().size(); ++i) {
    start.values()[i] += 0.05 * noise.values()[i];
  }
  EXPECT_LT(smacof(stored(*distances_of_rows(points)), start, 2000, 1e-12).stress_raw, 1e-10);
}

TEST(Smacof, HasTheSameBitsForAnyNumberOfThreads) {
  const DistanceMatrix d = stored(*distances_of_rows(random_points(90, 6, 23)));
  const Matrix start = classical_mds(gram_of(d), 3).points;
  const SmacofResult one = smacof(d, start, 20, 0.0, 1), three = smacof(d, start, 20, 0.0, 3);
  EXPECT_EQ(one.stress_raw, three.stress_raw);
  EXPECT_TRUE(std::equal(one.points.values().begin(), one.points.values().end(),
                         three.points.values().begin()));
}

TEST(Smacof, OfTrivialTargetsIsTrivial) {
  const SmacofResult one = smacof(DistanceMatrix(1), Matrix(1, 2));
  EXPECT_EQ(one.stress_raw, 0.0);
  EXPECT_TRUE(one.converged);
  const SmacofResult zero = smacof(equidistant(5, 0.0), random_points(5, 2, 3));
  EXPECT_EQ(zero.stress_raw, 0.0);
  EXPECT_EQ(raw_stress(equidistant(5, 0.0), zero.points), 0.0);
  EXPECT_LT(smacof(equidistant(2, 7.0), Matrix(2, 1)).stress_raw, 1e-20);
}

TEST(Ranks, OfAFlatSpectrumAreItsLength) {
  const Ranks r = ranks(Vector(20, 0.25));
  EXPECT_EQ(r.numerical, 20);
  EXPECT_NEAR(r.entropy, 20.0, 1e-12);
  EXPECT_NEAR(r.participation, 20.0, 1e-12);
  EXPECT_EQ(r.share90, 18);
  EXPECT_EQ(r.share99, 20);
  EXPECT_EQ(r.negative_mass, 0.0);
}

TEST(Ranks, OfMixedSignsReportTheNegativeMass) {
  const Ranks r = ranks(Vector{-1.0, 6.0, 1e-10, -1.0, 2.0});
  EXPECT_EQ(r.numerical, 2);
  EXPECT_NEAR(r.negative_mass, 0.2, 1e-10);
  EXPECT_NEAR(r.participation, 64.0 / 40.0, 1e-9);
  EXPECT_NEAR(r.entropy, std::exp(-0.75 * std::log(0.75) - 0.25 * std::log(0.25)), 1e-7);
  EXPECT_EQ(r.share90, 2);
}

TEST(Ranks, OfNothingAreZero) {
  EXPECT_EQ(ranks(Vector()).numerical, 0);
  const Ranks zero = ranks(Vector(4));
  EXPECT_EQ(zero.numerical, 0);
  EXPECT_EQ(zero.entropy, 0.0);
  EXPECT_EQ(zero.share99, 0);
}

}  // namespace
}  // namespace sextant
