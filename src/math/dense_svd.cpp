// SPDX-License-Identifier: Apache-2.0
#include "math/dense_svd.h"

#include <algorithm>
#include <vector>

#include "math/lapack.h"

namespace sextant {

DenseSvd dense_svd(Eigen::MatrixXd a) {
  const int m = blas_int(a.rows()), n = blas_int(a.cols()), k = std::min(m, n);
  DenseSvd result{.u = Eigen::MatrixXd(m, k), .values = Eigen::VectorXd(k), .v = {}};
  if (k == 0) {
    result.v = Eigen::MatrixXd(n, 0);
    return result;
  }
  Eigen::MatrixXd vt(k, n);
  std::vector<int> iwork(8 * static_cast<std::size_t>(k));
  double best = 0.0;
  int info = 0, lwork = -1;
  {
    const BlasCall call;
    dgesdd_("S", &m, &n, a.data(), &m, result.values.data(), result.u.data(), &m, vt.data(), &k,
            &best, &lwork, iwork.data(), &info, 1);
    lwork = static_cast<int>(best);
    std::vector<double> work(static_cast<std::size_t>(lwork));
    dgesdd_("S", &m, &n, a.data(), &m, result.values.data(), result.u.data(), &m, vt.data(), &k,
            work.data(), &lwork, iwork.data(), &info, 1);
  }
  if (info != 0)
    fail(ErrorCode::kNumeric, "singular values", "must converge but did not (info {})", info);
  result.v = vt.transpose();
  return result;
}

Eigen::MatrixXd DenseSvd::solve(const Eigen::MatrixXd& b, double tolerance) const {
  const double least = values.size() > 0 ? tolerance * values(0) : 0.0;
  Eigen::VectorXd inverse = values;
  for (double& value : inverse) value = value > least ? 1.0 / value : 0.0;
  return v * (inverse.asDiagonal() * (u.transpose() * b));
}

double DenseSvd::reciprocal_condition() const {
  return values.size() > 0 && values(0) > 0.0 ? values(values.size() - 1) / values(0) : 0.0;
}

}  // namespace sextant
