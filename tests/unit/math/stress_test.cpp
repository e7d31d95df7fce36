// SPDX-License-Identifier: Apache-2.0
// Comparison of distances: stress, Procrustes, correlation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "sextant/error.h"
#include "sextant/geometry.h"
#include "support/random_points.h"

namespace sextant {
namespace {

DistanceMatrix distances(const Matrix& points) { return stored(*distances_of_rows(points)); }

PairSums compare(const DistanceMatrix& target, const Distances& candidate, Index threads = 1) {
  const DistanceMatrix* const targets[] = {&target};
  return pair_sums(targets, candidate, threads)[0];
}

// Turned in the plane of the first two axes, mirrored along the last one, scaled and shifted.
Matrix moved(const Matrix& points, double scale) {
  Matrix result = points;
  for (Index i = 0; i < points.rows(); ++i) {
    result(i, 0) = std::cos(0.7) * points(i, 0) - std::sin(0.7) * points(i, 1);
    result(i, 1) = std::sin(0.7) * points(i, 0) + std::cos(0.7) * points(i, 1);
    result(i, points.cols() - 1) = -result(i, points.cols() - 1);
    for (Index k = 0; k < points.cols(); ++k) result(i, k) = scale * result(i, k) + 4.0;
  }
  return result;
}

TEST(PairSums, AreTheSumsOfTheirDefinition) {
  for (const Index n : {2, 17, 600}) {
    const DistanceMatrix target = distances(random_points(n, 3, 1));
    const DistanceMatrix other = distances(random_points(n, 5, 2));
    long double dd = 0, ee = 0, de = 0, miss = 0;
    for (std::size_t k = 0; k < target.values().size(); ++k) {
      const long double d = target.values()[k], e = other.values()[k];
      dd += d * d;
      ee += e * e;
      de += d * e;
      miss += (d - e) * (d - e);
    }
    for (const auto& candidate : {distances_of(other), distances_of_rows(random_points(n, 5, 2))}) {
      const PairSums sums = compare(target, *candidate);
      EXPECT_NEAR(sums.dd, static_cast<double>(dd), 1e-13 * sums.dd);
      EXPECT_NEAR(sums.ee, static_cast<double>(ee), 1e-13 * sums.ee);
      EXPECT_NEAR(sums.de, static_cast<double>(de), 1e-13 * sums.de);
      EXPECT_NEAR(sums.raw(), static_cast<double>(miss / dd), 1e-13);
      EXPECT_NEAR(sums.scaled(), static_cast<double>(1 - de * de / (dd * ee)), 1e-13);
      EXPECT_NEAR(sums.scale(), static_cast<double>(de / ee), 1e-13);
    }
  }
}

TEST(PairSums, AreBlindToMotionsAndScaledStressToScale) {
  const DistanceMatrix target = distances(random_points(60, 4, 3));
  const Matrix points = random_points(60, 4, 4);
  const PairSums still = compare(target, *distances_of_rows(points));
  const PairSums turned = compare(target, *distances_of_rows(moved(points, 1.0)));
  const PairSums scaled = compare(target, *distances_of_rows(moved(points, 250.0)));
  EXPECT_NEAR(turned.raw(), still.raw(), 1e-12);
  EXPECT_NEAR(scaled.scaled(), still.scaled(), 1e-12);
  EXPECT_NEAR(scaled.scale() * 250.0, still.scale(), 1e-12);
  EXPECT_GT(scaled.raw(), 100.0);
}

TEST(PairSums, HaveTheSameBitsForAnyNumberOfThreadsAndTargets) {
  const DistanceMatrix a = distances(random_points(900, 3, 5)),
                       b = distances(random_points(900, 2, 6));
  const auto candidate = distances_of_rows(random_points(900, 20, 7));
  const DistanceMatrix* const both[] = {&a, &b};
  const std::vector<PairSums> one = pair_sums(both, *candidate, 1);
  const std::vector<PairSums> three = pair_sums(both, *candidate, 3);
  const PairSums alone = compare(b, *candidate, 2);
  for (const PairSums& sums : {three[1], alone}) {
    EXPECT_EQ(sums.dd, one[1].dd);
    EXPECT_EQ(sums.ee, one[1].ee);
    EXPECT_EQ(sums.de, one[1].de);
  }
  EXPECT_EQ(one[0].ee, one[1].ee);
}

TEST(PairSums, OfNothingAreZero) {
  const PairSums one = compare(DistanceMatrix(1), *distances_of_rows(Matrix(1, 2)));
  EXPECT_EQ(one.raw(), 0.0);
  EXPECT_EQ(one.scaled(), 0.0);
  EXPECT_EQ(one.scale(), 0.0);
  const DistanceMatrix zero(4);
  EXPECT_EQ(compare(zero, *distances_of(zero)).raw(), 0.0);
  EXPECT_EQ(compare(zero, *distances_of_rows(random_points(4, 2, 1))).raw(), 0.0);
  EXPECT_EQ(compare(zero, *distances_of_rows(random_points(4, 2, 1))).scaled(), 0.0);
  EXPECT_EQ(compare(distances(random_points(4, 2, 1)), *distances_of(zero)).raw(), 1.0);
  EXPECT_EQ(compare(distances(random_points(4, 2, 1)), *distances_of(zero)).scaled(), 1.0);
  EXPECT_TRUE(pair_sums({}, *distances_of(zero)).empty());
}

TEST(PairSums, RejectTargetsOfAnotherSize) {
  EXPECT_THROW(compare(DistanceMatrix(3), *distances_of(DistanceMatrix(4))), Error);
}

TEST(ProcrustesResidual, IsZeroForTheSameShape) {
  const Matrix points = random_points(300, 3, 8);
  EXPECT_NEAR(procrustes_residual(points, *distances_of_rows(moved(points, 3.0))), 0.0, 1e-12);
}

// Of two orthogonal, centred shapes nothing fits; a plane onto one of its axes keeps that axis.
TEST(ProcrustesResidual, IsWhatTheRotationCannotRemove) {
  Matrix across(4, 1), along(4, 1), plane(4, 2);
  for (Index i = 0; i < 4; ++i) {
    across(i, 0) = plane(i, 0) = i < 2 ? 1.0 : -1.0;
    along(i, 0) = plane(i, 1) = i % 2 == 0 ? 1.0 : -1.0;
  }
  EXPECT_NEAR(procrustes_residual(across, *distances_of_rows(along)), 1.0, 1e-14);
  EXPECT_NEAR(procrustes_residual(across, *distances_of_rows(plane)), 0.5, 1e-14);
  EXPECT_NEAR(procrustes_residual(plane, *distances_of_rows(along)), 0.5, 1e-14);
}

TEST(ProcrustesResidual, OfNothingIsZero) {
  EXPECT_EQ(procrustes_residual(Matrix(3, 2), *distances_of(DistanceMatrix(3))), 0.0);
  EXPECT_EQ(procrustes_residual(random_points(3, 2, 1), *distances_of(DistanceMatrix(3))), 1.0);
  EXPECT_THROW(procrustes_residual(Matrix(3, 2), *distances_of(DistanceMatrix(4))), Error);
}

// The rank of x: how many are below, plus the middle of those that are equal.
double rank_by_counting(const Vector& values, double x) {
  double below = 0.0, equal = 0.0;
  for (const double value : values) {
    below += value < x ? 1.0 : 0.0;
    equal += value == x ? 1.0 : 0.0;
  }
  return below + (equal + 1.0) / 2.0;
}

TEST(Spearman, IsTheCorrelationOfRanksWithTies) {
  const Rng rng(31, 1);
  Vector a(200), b(200), rank_a(200), rank_b(200);
  for (std::size_t i = 0; i < 200; ++i) {
    a[i] = std::floor(20.0 * rng.uniform(2 * i));
    b[i] = a[i] + std::floor(30.0 * rng.uniform(2 * i + 1));
  }
  for (std::size_t i = 0; i < 200; ++i) {
    rank_a[i] = rank_by_counting(a, a[i]);
    rank_b[i] = rank_by_counting(b, b[i]);
  }
  EXPECT_NEAR(spearman(a, b), pearson(rank_a, rank_b), 1e-14);
}

// Without ties 1 - 6 sum (difference of ranks)^2 / (m (m^2 - 1)).
TEST(Spearman, FollowsTheFormulaOfSquaredDifferences) {
  const Vector a = {86, 97, 99, 100, 101, 103, 106, 110, 112, 113};
  const Vector b = {2, 20, 28, 27, 50, 29, 7, 17, 6, 12};
  EXPECT_NEAR(spearman(a, b), 1.0 - 6.0 * 194.0 / 990.0, 1e-15);
}

TEST(Spearman, SeesOnlyTheOrder) {
  Vector a(50), b(50);
  for (std::size_t i = 0; i < 50; ++i) {
    a[i] = static_cast<double>(i);
    b[i] = -std::exp(a[i]);
  }
  EXPECT_NEAR(spearman(a, b), -1.0, 1e-15);
}

TEST(Pearson, IsOneForALineAndZeroWithoutVariance) {
  const Vector x = {1.0, 2.0, 4.0}, line = {5.0, 3.0, -1.0}, flat(3, 0.1);
  EXPECT_NEAR(pearson(x, line), -1.0, 1e-15);
  EXPECT_EQ(pearson(x, flat), 0.0);
  EXPECT_EQ(spearman(x, flat), 0.0);
  EXPECT_EQ(pearson(Vector(), Vector()), 0.0);
  EXPECT_THROW(pearson(x, Vector(2)), Error);
}

}  // namespace
}  // namespace sextant
