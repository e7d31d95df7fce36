// SPDX-License-Identifier: Apache-2.0
#include "math/matrix_exponential.h"

#include <unsupported/Eigen/MatrixFunctions>

#include "base/check.h"
#include "math/eigen_map.h"

namespace sextant {

void check_exponent(double norm, double t) {
  if (!(norm <= 0x1p26))
    fail(ErrorCode::kNumeric, "generator",
         "|tX| must stay below 2^26 for exp(tX) to be accurate but is {:.3g} at t={}", norm, t);
}

Matrix matrix_exponential(const Matrix& generator, double t) {
  const EigenMatrix scaled = t * as_eigen(generator);
  check_exponent(scaled.norm(), t);
  EigenMatrix result;
  if (scaled.allFinite()) result = scaled.exp();
  if (result.size() == 0 || !result.allFinite())
    fail(ErrorCode::kNumeric, "generator", "exp(tX) must be finite but overflows at t={}", t);
  return to_matrix(result);
}

}  // namespace sextant
