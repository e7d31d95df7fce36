// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sextant/error.h"
#include "sextant/geometry.h"
#include "support/random_points.h"

namespace sextant {
namespace {

double distance(const Matrix& points, Index i, Index j) {
  long double sum = 0.0L;
  for (Index k = 0; k < points.cols(); ++k) {
    const long double rest = static_cast<long double>(points(i, k)) - points(j, k);
    sum += rest * rest;
  }
  return static_cast<double>(std::sqrt(sum));
}

TEST(DistanceMatrix, StoresPairsRowAfterRow) {
  DistanceMatrix d(4);
  ASSERT_EQ(d.values().size(), 6u);
  for (std::size_t k = 0; k < 6; ++k) d.values()[k] = static_cast<double>(k + 1);
  EXPECT_EQ(d(0, 1), 1.0);
  EXPECT_EQ(d(0, 3), 3.0);
  EXPECT_EQ(d(1, 2), 4.0);
  EXPECT_EQ(d(3, 2), 6.0);
  EXPECT_EQ(d(2, 2), 0.0);
}

TEST(DistancesOfRows, AreEuclideanInTilesAndRows) {
  for (const Index n : {2, 5, 300}) {
    for (const Index dim : {1, 3, 70}) {
      const Matrix points = random_points(n, dim, 5);
      const auto distances = distances_of_rows(points);
      const DistanceMatrix all = stored(*distances);
      Vector line(static_cast<std::size_t>(n));
      for (Index i = 0; i + 1 < n; ++i) {
        distances->row(i, i + 1, n, line);
        for (Index j = i + 1; j < n; ++j) {
          const double expected = distance(points, i, j);
          ASSERT_NEAR(all(i, j), expected, 1e-11 * expected) << n << " " << dim;
          ASSERT_NEAR(line[static_cast<std::size_t>(j - i - 1)], expected, 1e-13 * expected);
        }
      }
    }
  }
}

TEST(DistancesOfRows, KeepTheirDigitsForClosePointsFarFromTheOrigin) {
  Matrix points = random_points(300, 8, 6);
  for (Index k = 0; k < 8; ++k) points(299, k) = points(0, k) + 1e-9 * points(1, k);
  for (double& x : points.values()) x += 3.0;
  const double expected = distance(points, 0, 299);
  EXPECT_NEAR(stored(*distances_of_rows(points))(0, 299), expected, 1e-6 * expected);
}

TEST(DistancesOfRows, AreExactlyZeroForEqualRows) {
  Matrix points = random_points(600, 33, 7);
  for (Index k = 0; k < 33; ++k) points(5, k) = points(280, k) = points(599, k) = points(0, k);
  const DistanceMatrix d = stored(*distances_of_rows(points));
  EXPECT_EQ(d(0, 5), 0.0);
  EXPECT_EQ(d(0, 280), 0.0);
  EXPECT_EQ(d(5, 599), 0.0);
  EXPECT_EQ(d(280, 599), 0.0);
  for (const Index dim : {0, 4}) {
    const DistanceMatrix zero = stored(*distances_of_rows(Matrix(9, dim)));
    for (const double value : zero.values()) EXPECT_EQ(value, 0.0);
  }
}

TEST(DistancesByLag, AreConstantAlongDiagonals) {
  const DistanceMatrix d = stored(*distances_by_lag(300, [] {
    Vector lag(300);
    for (std::size_t k = 0; k < lag.size(); ++k) lag[k] = std::sqrt(static_cast<double>(k));
    return lag;
  }()));
  for (Index i = 0; i < 300; ++i) {
    for (Index j = i; j < 300; ++j) ASSERT_EQ(d(i, j), std::sqrt(static_cast<double>(j - i)));
  }
}

TEST(DistancesByLag, RejectsTooFewLags) { EXPECT_THROW(distances_by_lag(4, Vector(3)), Error); }

TEST(DistancesOf, GivesBackWhatWasStored) {
  const DistanceMatrix d = stored(*distances_of_rows(random_points(270, 2, 8)));
  const DistanceMatrix again = stored(*distances_of(d));
  EXPECT_TRUE(std::equal(d.values().begin(), d.values().end(), again.values().begin()));
}

TEST(Stored, OfOnePointIsEmpty) {
  EXPECT_EQ(stored(*distances_of_rows(Matrix(1, 3))).values().size(), 0u);
  EXPECT_EQ(stored(*distances_of_rows(Matrix(0, 3))).size(), 0);
}

}  // namespace
}  // namespace sextant
