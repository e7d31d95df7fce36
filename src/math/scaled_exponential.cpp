// SPDX-License-Identifier: Apache-2.0
#include "math/scaled_exponential.h"

#include <algorithm>
#include <cmath>

#include "math/eigen_map.h"
#include "math/lapack.h"
#include "math/matrix_exponential.h"

namespace sextant {
namespace {

constexpr int kMostIterations = 60;
constexpr double kSettled = 1e-9;

void rescale(ScaledExponential& e) {
  const double largest = as_eigen(e.m).cwiseAbs().maxCoeff();
  if (largest == 0.0) return;
  as_eigen(e.m) /= largest;
  e.log_scale += std::log(largest);
}

}  // namespace

ScaledExponential ScaledExponential::of(const Matrix& x, double t) {
  const double size = std::abs(t) * as_eigen(x).norm();
  const int halvings = size > 1.0 ? std::ilogb(size) + 1 : 0;
  ScaledExponential result{matrix_exponential(x, std::ldexp(t, -halvings)), 0.0};
  for (int i = 0; i < halvings; ++i) result.multiply(ScaledExponential(result));
  return result;
}

double ScaledExponential::log_norm() const {
  const auto a = as_eigen(m);
  Index row = 0;
  a.rowwise().squaredNorm().maxCoeff(&row);
  Eigen::VectorXd v = a.row(row).transpose();
  double norm = 0.0;
  for (int i = 0; i < kMostIterations && v.norm() > 0.0; ++i) {
    v.normalize();
    const Eigen::VectorXd image = a * v;
    const double previous = std::exchange(norm, image.norm());
    if (norm - previous <= kSettled * norm) break;
    v = a.transpose() * image;
  }
  return log_scale + std::log(norm);
}

void ScaledExponential::multiply(const ScaledExponential& other) {
  const Index n = m.rows();
  Matrix product(n, n);
  {
    const BlasCall held;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_int(n), blas_int(n), blas_int(n),
                1.0, m.values().data(), blas_int(n), other.m.values().data(), blas_int(n), 0.0,
                product.values().data(), blas_int(n));
  }
  m = std::move(product);
  log_scale += other.log_scale;
  rescale(*this);
}

}  // namespace sextant
