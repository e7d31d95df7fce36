// SPDX-License-Identifier: Apache-2.0
#include "theory/rademacher.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "math/eigen_map.h"

namespace sextant {
namespace {

constexpr double kNormal95 = 1.959964;  // |Z| <= this with probability 0.95
constexpr double kWork = 2e8;           // multiplications of all draws together
constexpr double kFewestDraws = 256, kMostDraws = 2048;
constexpr Index kBlock = 64;  // draws at once: one random word has the signs of all for one row

// [draws, m] in blocks: column i of a block comes from one word.
Eigen::VectorXd norms_of_draws(const EigenMatrix& x, Index draws, std::uint64_t seed) {
  Eigen::VectorXd norms(draws);
  EigenMatrix signs(kBlock, x.rows());
  for (Index first = 0; first < draws; first += kBlock) {
    const Rng rng(seed, static_cast<std::uint64_t>(first));
    for (Index i = 0; i < x.rows(); ++i) {
      const std::uint64_t word = rng.at(static_cast<std::uint64_t>(i));
      for (Index k = 0; k < kBlock; ++k) signs(k, i) = (word >> k & 1U) != 0 ? 1.0 : -1.0;
    }
    norms.segment(first, kBlock) = (signs * x).rowwise().norm();
  }
  return norms;
}

// All signs with the last one fixed: its flip changes no norm.
double mean_over_signs(const EigenMatrix& x) {
  const auto patterns = std::uint64_t{1} << (x.rows() - 1);
  double sum = 0.0;
  for (std::uint64_t pattern = 0; pattern < patterns; ++pattern) {
    Eigen::RowVectorXd total = Eigen::RowVectorXd::Zero(x.cols());
    for (Index i = 0; i < x.rows(); ++i)
      total += ((pattern >> i & 1U) != 0 ? 1.0 : -1.0) * x.row(i);
    sum += total.norm();
  }
  return sum / static_cast<double>(patterns);
}

}  // namespace

RademacherEstimate linear_rademacher(const Matrix& rows, std::uint64_t seed) {
  const Index m = rows.rows();
  const double largest = as_eigen(rows).cwiseAbs().maxCoeff();
  if (largest == 0.0) return {};
  const EigenMatrix x = as_eigen(rows) / largest;  // squares of rows that grow would overflow
  const double scale = largest / static_cast<double>(m);
  RademacherEstimate result{.root_mean_square = scale * x.norm(),
                            .trivial = scale * x.rowwise().norm().sum()};
  if (m <= kMostExactSigns) {
    result.value = scale * mean_over_signs(x);
    return result;
  }
  const double affordable = kWork / static_cast<double>(x.size());
  const auto draws = static_cast<Index>(std::clamp(affordable, kFewestDraws, kMostDraws));
  const Index whole = (draws + kBlock - 1) / kBlock * kBlock;
  // The mean of |S|^2 is known, M^2. So E|S| = M - E (|S|-M)^2 / 2M, which varies less from draw to
  // draw than |S| and never exceeds M.
  const double root = x.norm();
  const Eigen::ArrayXd losses =
      (norms_of_draws(x, whole, seed).array() - root).square() / (2.0 * root);
  const double mean = losses.mean();
  const auto count = static_cast<double>(whole);
  const double deviation = (losses - mean).matrix().norm() / std::sqrt(count - 1.0);
  result.value = scale * (root - mean);
  result.half_width = scale * kNormal95 * deviation / std::sqrt(count);
  return result;
}

double lipschitz_rademacher_floor(const Matrix& rows) {
  const double largest = as_eigen(rows).cwiseAbs().maxCoeff();
  if (largest == 0.0) return 0.0;
  const EigenMatrix x = as_eigen(rows) / largest;
  Eigen::VectorXd reach = x.rowwise().squaredNorm();  // squares of r_i
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      const double half = 0.25 * (x.row(i) - x.row(j)).squaredNorm();
      reach(i) = std::min(reach(i), half);
      reach(j) = std::min(reach(j), half);
    }
  }
  return largest * reach.cwiseSqrt().mean();
}

}  // namespace sextant
