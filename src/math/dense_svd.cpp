// SPDX-License-Identifier: Apache-2.0
#include "math/dense_svd.h"

#include <algorithm>
#include <vector>

#include "math/lapack.h"

namespace sextant {

namespace {

// Singular values, and vectors [m, k], [k, n] where they are not null. Overwrites A.
void decompose(Eigen::MatrixXd& a, double* values, double* u, double* vt) {
  const int m = blas_int(a.rows()), n = blas_int(a.cols()), k = std::min(m, n);
  std::vector<int> iwork(8 * static_cast<std::size_t>(k));
  double best = 0.0;
  int info = 0, lwork = -1;
  const auto call = [&](double* work) {
    const BlasCall held;
    dgesdd_(u ? "S" : "N", &m, &n, a.data(), &m, values, u, &m, vt, &k, work, &lwork, iwork.data(),
            &info, 1);
  };
  call(&best);
  lwork = static_cast<int>(best);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  call(work.data());
  if (info != 0)
    fail(ErrorCode::kNumeric, "singular values", "must converge but did not (info {})", info);
}

}  // namespace

DenseSvd dense_svd(Eigen::MatrixXd a) {
  const Index k = std::min(a.rows(), a.cols());
  DenseSvd result{.u = Eigen::MatrixXd(a.rows(), k), .values = Eigen::VectorXd(k), .v = {}};
  Eigen::MatrixXd vt(k, a.cols());
  if (k > 0) decompose(a, result.values.data(), result.u.data(), vt.data());
  result.v = vt.transpose();
  return result;
}

Eigen::VectorXd singular_values(Eigen::MatrixXd a) {
  Eigen::VectorXd values(std::min(a.rows(), a.cols()));
  if (values.size() > 0) decompose(a, values.data(), nullptr, nullptr);
  return values;
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
