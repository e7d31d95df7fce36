// SPDX-License-Identifier: Apache-2.0
// Sums of jets, lag^r e^(decay lag) {cos, sin}(frequency lag): the kernels of finite-dimensional
// groups. Exponents from the shift invariance of a Hankel range (ESPRIT), coefficients by least
// squares.
#pragma once

#include <span>
#include <vector>

#include "math/eigen_map.h"
#include "sextant/classify.h"

namespace sextant {

// Columns of one block at each lag: for r < size the cosine, then, where it rotates, the sine.
Eigen::MatrixXd jet_columns(const BlockFamily& block, std::span<const double> lags);

struct JetFit {
  std::vector<Vector> coefficients = {};  // per block
  Eigen::VectorXd fitted = {};
  double residual = 0.0;  // relative, root mean square
};
// Least squares for the coefficients; of least norm where columns depend on others. Where a column
// overflows the coefficients are zero and the residual is infinite.
JetFit fit_jets(std::span<const BlockFamily> blocks, std::span<const double> lags,
                std::span<const double> k);

// K(i + j), [rows, cols]. REQUIRES: rows + cols - 1 <= k.size().
Eigen::MatrixXd hankel_matrix(std::span<const double> k, Index rows, Index cols);

// Z with U(i + 1) = U(i) Z for the leading `rank` left singular vectors of a Hankel matrix:
// eigenvalues of log Z are the exponents.
EigenMatrix shift_of_range(const Eigen::MatrixXd& u, Index rank);

// The Jordan blocks of log Z, also where Z has negative eigenvalues (frequency pi). `noise` is the
// absolute error of Z. Empty where Z is singular.
std::vector<BlockFamily> exponents_of_shift(const EigenMatrix& z, double noise);

}  // namespace sextant
