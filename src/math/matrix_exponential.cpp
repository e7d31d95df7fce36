// SPDX-License-Identifier: Apache-2.0
#include "math/matrix_exponential.h"

#include <unsupported/Eigen/MatrixFunctions>

#include "base/check.h"
#include "math/eigen_map.h"

namespace sextant {

namespace {

// Squaring loses about |tX| units in the last place: beyond this, more than half of the digits.
constexpr double kLargestNorm = 0x1p26;

}  // namespace

Matrix matrix_exponential(const Matrix& generator, double t) {
  const EigenMatrix scaled = t * as_eigen(generator);
  if (scaled.norm() > kLargestNorm)
    fail(ErrorCode::kNumeric, "generator",
         "|tX| must stay below 2^26 for exp(tX) to be accurate but is {:.3g} at t={}",
         scaled.norm(), t);
  EigenMatrix result;
  if (scaled.allFinite()) result = scaled.exp();
  if (result.size() == 0 || !result.allFinite())
    fail(ErrorCode::kNumeric, "generator", "exp(tX) must be finite but overflows at t={}", t);
  return to_matrix(result);
}

}  // namespace sextant
