// SPDX-License-Identifier: Apache-2.0
#include "groups/jets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "groups/shift.h"
#include "math/dense_svd.h"

namespace sextant {
namespace {

// The sine of a frequency of pi is 0 at whole lags, but for rounding.
double sine(double angle) {
  const double value = std::sin(angle);
  return std::abs(value) < 1e-13 ? 0.0 : value;
}

constexpr double kDependent =
    1e-13;  // columns nearer to others than this, relative, count as theirs

// Blocks of Z to those of log Z, where the matrix logarithm itself does not exist. Moduli within
// `noise` of 1 neither decay nor grow.
std::vector<BlockFamily> logarithms(std::vector<BlockFamily> blocks, double noise) {
  for (BlockFamily& block : blocks) {
    const double modulus = std::hypot(block.decay, block.frequency);
    const double frequency = std::atan2(block.frequency, block.decay);
    block.decay = std::abs(modulus - 1.0) <= noise ? 0.0 : std::log(modulus);
    block.frequency = frequency;
    block.kind = block_kind(block.decay, block.frequency, block.size);
  }
  return blocks;
}

}  // namespace

Eigen::MatrixXd jet_columns(const BlockFamily& block, std::span<const double> lags) {
  const Index width = block.complex() ? 2 : 1;
  Eigen::MatrixXd columns(static_cast<Index>(lags.size()), block.size * width);
  for (Index i = 0; i < columns.rows(); ++i) {
    const double lag = lags[static_cast<std::size_t>(i)];
    double scale = std::exp(block.decay * lag);
    for (Index r = 0; r < block.size; ++r, scale *= lag) {
      columns(i, r * width) = scale * std::cos(block.frequency * lag);
      if (width == 2) columns(i, r * width + 1) = scale * sine(block.frequency * lag);
    }
  }
  return columns;
}

JetFit fit_jets(std::span<const BlockFamily> blocks, std::span<const double> lags,
                std::span<const double> k) {
  const Eigen::VectorXd target = as_eigen(k);
  JetFit fit{.fitted = Eigen::VectorXd::Zero(target.size())};
  Index width = 0;
  for (const BlockFamily& block : blocks) width += block.size * (block.complex() ? 2 : 1);
  Eigen::MatrixXd all(target.size(), width);
  Index at = 0;
  for (const BlockFamily& block : blocks) {
    const Eigen::MatrixXd own = jet_columns(block, lags);
    all.middleCols(at, own.cols()) = own;
    at += own.cols();
  }
  Eigen::VectorXd coefficients = Eigen::VectorXd::Zero(width);
  const bool finite = all.allFinite();
  if (width > 0 && finite) {
    Eigen::VectorXd sizes = all.colwise().stableNorm();
    for (double& size : sizes) size = size > 0.0 && std::isfinite(size) ? size : 1.0;
    const Eigen::MatrixXd scaled = all * sizes.cwiseInverse().asDiagonal();
    coefficients = dense_svd(scaled).solve(target, kDependent).col(0).cwiseQuotient(sizes);
    fit.fitted = all * coefficients;
  }
  at = 0;
  for (const BlockFamily& block : blocks) {
    const Index own = block.size * (block.complex() ? 2 : 1);
    const Eigen::VectorXd part = coefficients.segment(at, own);
    fit.coefficients.emplace_back(part.begin(), part.end());
    at += own;
  }
  const double norm = target.norm();
  if (!finite)
    fit.residual = std::numeric_limits<double>::infinity();
  else
    fit.residual = norm > 0.0 ? (target - fit.fitted).norm() / norm : fit.fitted.norm();
  return fit;
}

Eigen::MatrixXd hankel_matrix(std::span<const double> k, Index rows, Index cols) {
  Eigen::MatrixXd result(rows, cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) result(i, j) = k[static_cast<std::size_t>(i + j)];
  return result;
}

EigenMatrix shift_of_range(const Eigen::MatrixXd& u, Index rank) {
  const Eigen::MatrixXd range = u.leftCols(rank);
  return dense_svd(range.topRows(u.rows() - 1)).solve(range.bottomRows(u.rows() - 1));
}

std::vector<BlockFamily> exponents_of_shift(const EigenMatrix& z, double noise) {
  if (shift_spectrum(z, noise).singular) return {};
  if (const std::optional<Matrix> x = generator_of_shift(z, 1.0, noise)) {
    const double norm = as_eigen(*x).norm();
    if (norm <= noise) return classify_generator(Matrix(z.rows(), z.cols())).families;
    return classify_generator(*x, {.noise = std::min(0.1, noise / norm)}).families;
  }
  const double norm = z.norm();
  return logarithms(
      classify_generator(to_matrix(z), {.noise = std::min(0.1, noise / norm)}).families, noise);
}

}  // namespace sextant
