// SPDX-License-Identifier: Apache-2.0
#include "math/matrix_logarithm.h"

#include <gtest/gtest.h>

#include "math/eigen_map.h"
#include "math/matrix_exponential.h"

namespace sextant {
namespace {

TEST(MatrixLogarithm, UndoesTheExponential) {
  Matrix x(5, 5);
  x(0, 1) = -2.5;  // a fast rotation
  x(1, 0) = 2.5;
  x(2, 2) = x(3, 3) = -0.4;  // a Jordan block
  x(2, 3) = 0.7;
  x(4, 4) = 1.5;
  x(0, 3) = 0.3;
  const Matrix back = matrix_logarithm(matrix_exponential(x, 1.0));
  EXPECT_LT((as_eigen(back) - as_eigen(x)).norm(), 1e-13);
}

TEST(MatrixLogarithm, OfARotationIsItsLeastAngle) {
  Matrix x(2, 2);
  x(0, 1) = -4.0;
  x(1, 0) = 4.0;
  const Matrix back = matrix_logarithm(matrix_exponential(x, 1.0));
  EXPECT_NEAR(back(1, 0), 4.0 - 6.283185307179586, 1e-14);
}

}  // namespace
}  // namespace sextant
