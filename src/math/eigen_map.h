// SPDX-License-Identifier: Apache-2.0
// Eigen views of the library's own buffers: no copies.
#pragma once

#include <Eigen/Core>
#include <span>

#include "sextant/matrix.h"

namespace sextant {

using EigenMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline Eigen::Map<EigenMatrix> as_eigen(Matrix& m) {
  return {m.values().data(), m.rows(), m.cols()};
}
inline Eigen::Map<const EigenMatrix> as_eigen(const Matrix& m) {
  return {m.values().data(), m.rows(), m.cols()};
}
inline Eigen::Map<Eigen::VectorXd> as_eigen(std::span<double> x) {
  return {x.data(), static_cast<Index>(x.size())};
}
inline Eigen::Map<const Eigen::VectorXd> as_eigen(std::span<const double> x) {
  return {x.data(), static_cast<Index>(x.size())};
}

inline Matrix to_matrix(const Eigen::Ref<const EigenMatrix>& m) {
  Matrix result(m.rows(), m.cols());
  as_eigen(result) = m;
  return result;
}

}  // namespace sextant
