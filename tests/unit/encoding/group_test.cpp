// SPDX-License-Identifier: Apache-2.0
#include "sextant/group.h"

#include <gtest/gtest.h>

#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

#include "math/eigen_map.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

std::vector<JordanBlock> mixed_blocks() {
  return {{.frequency = 0.7},
          {.decay = -0.2},
          {.decay = 0.1, .frequency = 1.3, .size = 2},
          {.size = 3, .coupling = 0.5},
          {}};
}

double largest(const EigenMatrix& m) { return m.cwiseAbs().maxCoeff(); }

TEST(OneParameterGroup, ClosedFormMatchesMatrixExponential) {
  const OneParameterGroup group(mixed_blocks());
  const Matrix generator = group.generator();
  for (const double t : {-3.0, -0.5, 0.0, 0.25, 4.0}) {
    const EigenMatrix reference = (t * Eigen::MatrixXd(as_eigen(generator))).exp();
    const Matrix a = group.matrix(t);
    EXPECT_LT(largest(as_eigen(a) - reference), 1e-13 * (1.0 + largest(reference))) << "t=" << t;
  }
}

TEST(OneParameterGroup, ComposesAsAddition) {
  const OneParameterGroup group(mixed_blocks());
  const Matrix a = group.matrix(1.5), b = group.matrix(-0.4), sum = group.matrix(1.1);
  EXPECT_LT(largest(as_eigen(a) * as_eigen(b) - as_eigen(sum)), 1e-13);
}

TEST(OneParameterGroup, QueryGetsTheTransposeAndKeyTheInverse) {
  const OneParameterGroup group(mixed_blocks());
  const Index d = group.dim();
  const Matrix at = group.matrix(2.5), back = group.matrix(-2.5);
  for (Index i = 0; i < d; ++i) {
    Vector query(static_cast<std::size_t>(d)), key(static_cast<std::size_t>(d));
    query[static_cast<std::size_t>(i)] = key[static_cast<std::size_t>(i)] = 1.0;
    group.apply_to_query(2.5, query);
    group.apply_to_key(2.5, key);
    for (Index j = 0; j < d; ++j) {
      EXPECT_NEAR(query[static_cast<std::size_t>(j)], at(i, j), 1e-15);
      EXPECT_NEAR(key[static_cast<std::size_t>(j)], back(j, i), 1e-15);
    }
  }
}

TEST(OneParameterGroup, OrderMovesCoordinatesAndNothingElse) {
  const std::vector<JordanBlock> blocks = {{.frequency = 0.3}, {.frequency = 0.1}};
  const OneParameterGroup plain(blocks), half(blocks, {0, 2, 1, 3});
  const Index order[] = {0, 2, 1, 3};
  const Matrix a = plain.matrix(5.0), b = half.matrix(5.0);
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) EXPECT_EQ(b(order[i], order[j]), a(i, j));
}

TEST(OneParameterGroup, DenseGeneratorIsTheSameGroup) {
  const OneParameterGroup blocks(mixed_blocks());
  const OneParameterGroup dense = OneParameterGroup::from_generator(blocks.generator());
  const Matrix a = blocks.matrix(1.7), b = dense.matrix(1.7);
  EXPECT_LT(largest(as_eigen(a) - as_eigen(b)), 1e-13);
  Vector x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, y = x;
  blocks.apply_to_key(1.7, x);
  dense.apply_to_key(1.7, y);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
}

TEST(OneParameterGroup, BasisTurnsThePlane) {
  const double c = std::cos(0.4), s = std::sin(0.4);
  Matrix basis(3, 3);
  const double columns[3][3] = {{c, -s, 0}, {0, 0, 1}, {s, c, 0}};
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) basis(i, j) = columns[i][j];
  const auto group = OneParameterGroup::in_basis({{.frequency = 1.0}, {}}, basis);
  const OneParameterGroup dense = OneParameterGroup::from_generator(group.generator());
  const Matrix a = group.matrix(0.9), b = dense.matrix(0.9);
  EXPECT_LT(largest(as_eigen(a) - as_eigen(b)), 1e-14);
}

TEST(OneParameterGroup, RefusesGrowthThatDoesNotFitADouble) {
  const OneParameterGroup group(std::vector<JordanBlock>{{.decay = 1.0}});
  EXPECT_TRUE(std::isfinite(group.matrix(709.0)(0, 0)));
  EXPECT_EQ(group.matrix(-800.0)(0, 0), 0.0);
  expect_error(ErrorCode::kNumeric, "must fit a double", [&] { group.matrix(710.0); });
  const auto dense = OneParameterGroup::from_generator(group.generator());
  expect_error(ErrorCode::kNumeric, "overflows", [&] { dense.matrix(800.0); });
}

TEST(OneParameterGroup, RejectsBadBlocks) {
  const auto make = [](JordanBlock block) { OneParameterGroup(std::vector{block}); };
  expect_error(ErrorCode::kUsage, "size", [&] { make({.size = 0}); });
  expect_error(ErrorCode::kUsage, "finite", [&] { make({.decay = std::nan("")}); });
  expect_error(ErrorCode::kUsage, "permutation", [] {
    OneParameterGroup({{.frequency = 1.0}}, {0, 0});
  });
  expect_error(ErrorCode::kUsage, "square",
               [] { OneParameterGroup::from_generator(Matrix(2, 3)); });
  expect_error(ErrorCode::kUsage, "orthonormal",
               [] { OneParameterGroup::in_basis({{.frequency = 1.0}}, Matrix(2, 2)); });
}

}  // namespace
}  // namespace sextant
