// SPDX-License-Identifier: Apache-2.0
// The singular value decomposition of a dense real matrix, and least squares by it.
#pragma once

#include <Eigen/Core>

#include "math/eigen_map.h"

namespace sextant {

// A = U diag(values) V^T for A [m, n]: U is [m, k], V is [n, k], k = min(m, n), values fall.
struct DenseSvd {
  Eigen::MatrixXd u;
  Eigen::VectorXd values;
  Eigen::MatrixXd v;

  // Of the least norm among the X with the least |A X - B|; singular values up to `tolerance` times
  // the largest are zero.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b, double tolerance = 1e-15) const;

  // The least singular value over the largest; 0 for a zero matrix.
  double reciprocal_condition() const;
};

// Throws kNumeric where LAPACK does not converge. Cost about 20 m n min(m, n).
DenseSvd dense_svd(Eigen::MatrixXd a);

// Without the vectors, falling: a few times cheaper.
Eigen::VectorXd singular_values(Eigen::MatrixXd a);

}  // namespace sextant
