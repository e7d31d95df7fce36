// SPDX-License-Identifier: Apache-2.0
#include "math/scaled_exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/jordan_matrix.h"

namespace sextant {
namespace {

TEST(ScaledExponential, ReachesFarBeyondTheLargestNumber) {
  const std::vector<BlockFamily> blocks = {block(1.0, 2.0), block(-3.0, 0.0)};
  const Matrix x = jordan_matrix(blocks);
  EXPECT_NEAR(ScaledExponential::of(x, 5000.0).log_norm(), 5000.0, 1e-8);
  EXPECT_NEAR(ScaledExponential::of(x, -5000.0).log_norm(), 15000.0, 1e-8);
}

TEST(ScaledExponential, AddsTimesWhenMultiplied) {
  const std::vector<BlockFamily> blocks = {block(0.0, 0.0, 2)};
  const Matrix x = jordan_matrix(blocks);
  ScaledExponential value = ScaledExponential::of(x, 300.0);
  value.multiply(ScaledExponential::of(x, 700.0));
  EXPECT_NEAR(std::exp(value.log_scale) * value.m(0, 1), 1000.0, 1e-9);
  // The norm of [[1, t], [0, 1]] is (t + sqrt(t^2 + 4)) / 2.
  EXPECT_NEAR(value.log_norm(), std::asinh(500.0), 1e-6);
}

}  // namespace
}  // namespace sextant
