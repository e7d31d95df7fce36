// SPDX-License-Identifier: Apache-2.0
#include "theory/rademacher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace sextant {
namespace {

Matrix column(const Vector& values) {
  Matrix rows(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), rows.values().begin());
  return rows;
}

// |sum sigma_i e_i| = sqrt(m) for all signs: the upper side is reached.
TEST(LinearRademacher, ReachesItsUpperSideForOrthonormalRows) {
  for (const Index m : {3, 40}) {
    const RademacherEstimate estimate = linear_rademacher(Matrix::identity(m), 1);
    const double expected = 1.0 / std::sqrt(static_cast<double>(m));
    EXPECT_NEAR(estimate.value, expected, 1e-15);
    EXPECT_NEAR(estimate.root_mean_square, expected, 1e-15);
    EXPECT_NEAR(estimate.half_width, 0.0, 1e-15);
    EXPECT_NEAR(estimate.trivial, 1.0, 1e-15);
  }
}

// E|s1 + s2| = 1 against sqrt(2): Szarek's constant.
TEST(LinearRademacher, ReachesItsLowerSideForTwoEqualRows) {
  const RademacherEstimate estimate = linear_rademacher(column({3.0, 3.0}), 1);
  EXPECT_DOUBLE_EQ(estimate.value, 1.5);
  EXPECT_DOUBLE_EQ(estimate.root_mean_square / std::numbers::sqrt2, 1.5);
}

// E|S_2k| = 2k C(2k, k) / 4^k.
TEST(LinearRademacher, IsTheMeanDistanceOfAWalk) {
  EXPECT_DOUBLE_EQ(linear_rademacher(column(Vector(4, 1.0)), 1).value, 1.5 / 4.0);
  const double expected =
      std::exp(std::lgamma(101.0) - 2.0 * std::lgamma(51.0) - 100.0 * std::numbers::ln2);
  const RademacherEstimate estimate = linear_rademacher(column(Vector(100, 1.0)), 1);
  EXPECT_GT(estimate.half_width, 0.0);
  EXPECT_LT(estimate.half_width, 0.05 * expected);
  EXPECT_NEAR(estimate.value, expected, 2.0 * estimate.half_width);
}

TEST(LinearRademacher, ScalesWithRowsWhoseSquaresOverflow) {
  EXPECT_DOUBLE_EQ(linear_rademacher(column({1e200, 1e200}), 1).value, 0.5e200);
  EXPECT_EQ(linear_rademacher(Matrix(5, 3), 1).value, 0.0);
}

TEST(LinearRademacher, DependsOnTheSeedAlone) {
  Matrix rows(30, 2);
  for (Index i = 0; i < 30; ++i) rows(i, i % 2) = static_cast<double>(i);
  EXPECT_EQ(linear_rademacher(rows, 7).value, linear_rademacher(rows, 7).value);
  EXPECT_NE(linear_rademacher(rows, 7).value, linear_rademacher(rows, 8).value);
}

TEST(LipschitzRademacher, IsAtLeastHalfTheDistanceOfSeparatedRows) {
  EXPECT_NEAR(lipschitz_rademacher_floor(Matrix::identity(20)), std::numbers::sqrt2 / 2.0, 1e-15);
  EXPECT_DOUBLE_EQ(lipschitz_rademacher_floor(column({1.0, 3.0})), 1.0);
}

// f(0) = 0 and equal rows leave no freedom.
TEST(LipschitzRademacher, IsZeroForRowsThatCannotBeToldApart) {
  EXPECT_EQ(lipschitz_rademacher_floor(column({2.0, 2.0, 2.0})), 0.0);
  EXPECT_EQ(lipschitz_rademacher_floor(Matrix(4, 3)), 0.0);
  EXPECT_DOUBLE_EQ(lipschitz_rademacher_floor(column({0.0, 10.0})), 2.5);
}

}  // namespace
}  // namespace sextant
