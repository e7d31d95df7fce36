// SPDX-License-Identifier: Apache-2.0
// The logarithm by Schur form, clusters of eigenvalues and Pade approximants of each.
#include "math/matrix_logarithm.h"

#include <unsupported/Eigen/MatrixFunctions>

#include "base/check.h"
#include "math/eigen_map.h"

namespace sextant {

Matrix matrix_logarithm(const Matrix& z) {
  // In complex numbers throughout: Eigen's real path asks for eigenvalues that are not negative in
  // each diagonal block of its own Schur form.
  const Eigen::MatrixXcd complex = as_eigen(z).cast<std::complex<double>>();
  const EigenMatrix result = complex.log().real();
  if (!result.allFinite())
    fail(ErrorCode::kNumeric, "logarithm", "log Z must be finite; Z has an eigenvalue near 0");
  return to_matrix(result);
}

}  // namespace sextant
