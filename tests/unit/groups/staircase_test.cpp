// SPDX-License-Identifier: Apache-2.0
#include "groups/staircase.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "support/jordan_matrix.h"

namespace sextant {
namespace {

Eigen::MatrixXcd dense(const Matrix& x) {
  Eigen::MatrixXcd result(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) result(i, j) = x(i, j);
  return result;
}

TEST(Staircase, CountsTheChainsOfEachLength) {
  // Chains of 3, 2 and 1 links: three have a first link, two a second, one a third.
  const std::vector<BlockFamily> blocks = {block(0, 0, 1), block(0, 0, 2), block(0, 0, 3)};
  const auto found = nilpotent_staircase(dense(similar(jordan_matrix(blocks), 10.0, 1)), 1e-10);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->weyr, (std::vector<Index>{3, 2, 1}));
  EXPECT_LT(found->error, 1e-13);
}

TEST(Staircase, TakesAMatrixBelowTheToleranceForZero) {
  Eigen::MatrixXcd b = Eigen::MatrixXcd::Zero(3, 3);
  b(0, 2) = 3e-7;
  b(1, 0) = 4e-7;
  const auto found = nilpotent_staircase(b, 1e-6);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->weyr, (std::vector<Index>{3}));
  EXPECT_NEAR(found->error, 5e-7, 1e-18);
}

TEST(Staircase, RefusesWhatIsFarFromNilpotent) {
  // The singular values of [[e, 1], [0, -e]] have the product e^2, and the larger is 1 + O(e^2).
  Eigen::MatrixXcd b(2, 2);
  b << 1e-2, 1.0, 0.0, -1e-2;
  EXPECT_FALSE(nilpotent_staircase(b, 0.99e-4));
  const auto found = nilpotent_staircase(b, 1.1e-4);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->weyr, (std::vector<Index>{1, 1}));
  EXPECT_NEAR(found->error, 1e-4, 1e-6);
}

TEST(Staircase, SaysHowMuchIsAheadBeforeItIsDone) {
  // One chain of 6 links: 6^3 + 5^3 + ... + 2^3 = 440 from either side. That it is one chain shows
  // after the first null space.
  const std::vector<BlockFamily> blocks = {block(0, 0, 6)};
  const Eigen::MatrixXcd chain = dense(jordan_matrix(blocks));
  std::vector<double> estimate;
  double done = 0.0;
  ASSERT_TRUE(nilpotent_staircase(chain, 1e-10, [&](double step, double least) {
    done += step;
    estimate.push_back(done + least);
  }));
  EXPECT_DOUBLE_EQ(done, 2.0 * 440.0);
  EXPECT_DOUBLE_EQ(estimate.at(0), 2.0 * 216.0);
  EXPECT_DOUBLE_EQ(estimate.at(1), 216.0 + 2.0 * 224.0);
}

TEST(Staircase, StopsWhereTheChargeIsRefused) {
  int steps = 0;
  const auto refuse = [&](double, double ahead) {
    if (ahead > 300.0) throw std::runtime_error("too much");
    ++steps;
  };
  const std::vector<BlockFamily> blocks = {block(0, 0, 6)};
  EXPECT_THROW(nilpotent_staircase(dense(jordan_matrix(blocks)), 1e-10, refuse),
               std::runtime_error);
  EXPECT_EQ(steps, 1);
}

}  // namespace
}  // namespace sextant
