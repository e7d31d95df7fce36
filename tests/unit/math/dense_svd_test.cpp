// SPDX-License-Identifier: Apache-2.0
#include "math/dense_svd.h"

#include <gtest/gtest.h>

namespace sextant {
namespace {

Eigen::MatrixXd tall() {
  Eigen::MatrixXd a(4, 2);
  a << 3.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 2.0;
  return a;
}

TEST(DenseSvd, DecomposesTallAndWideMatrices) {
  for (const Eigen::MatrixXd& a : {tall(), Eigen::MatrixXd(tall().transpose())}) {
    const DenseSvd svd = dense_svd(a);
    ASSERT_EQ(svd.values.size(), 2);
    EXPECT_NEAR(svd.values(0), 5.0, 1e-14);
    EXPECT_NEAR(svd.values(1), 2.0, 1e-14);
    EXPECT_LT((svd.u * svd.values.asDiagonal() * svd.v.transpose() - a).norm(), 1e-14);
    EXPECT_NEAR(svd.reciprocal_condition(), 0.4, 1e-14);
  }
}

// x + 2 y = 5 twice: the solution of least norm is along (1, 2).
TEST(DenseSvd, SolvesWithTheLeastNorm) {
  Eigen::MatrixXd a(2, 2), b(2, 1);
  a << 1.0, 2.0, 1.0, 2.0;
  b << 5.0, 5.0;
  const Eigen::MatrixXd x = dense_svd(a).solve(b);
  EXPECT_NEAR(x(0, 0), 1.0, 1e-14);
  EXPECT_NEAR(x(1, 0), 2.0, 1e-14);
}

TEST(DenseSvd, OfZeroHasNoCondition) {
  EXPECT_EQ(dense_svd(Eigen::MatrixXd::Zero(3, 3)).reciprocal_condition(), 0.0);
}

}  // namespace
}  // namespace sextant
