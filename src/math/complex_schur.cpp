// SPDX-License-Identifier: Apache-2.0
// Real Schur form by LAPACK, then one unitary rotation per conjugate pair: a quarter of the cost of
// the complex algorithm, and conjugates stay exact.
#include "math/complex_schur.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "math/eigen_map.h"
#include "math/lapack.h"
#include "math/real_schur.h"

namespace sextant {
namespace {

constexpr int kVectorsAtOnce = 64;

// T of X = Q T Q^T.
Eigen::MatrixXd real_schur(const Matrix& x) {
  Eigen::MatrixXd t = as_eigen(x);
  to_real_schur(t.rows(), t.data(), nullptr);
  return t;
}

// Makes the block [[a, b], [c, a]] at k, bc < 0, triangular. Its first column becomes the
// eigenvector (b, i w) of a + i w.
void split(Eigen::MatrixXcd& t, Index k) {
  const double a = t(k, k).real(), b = t(k, k + 1).real(), c = t(k + 1, k).real();
  const Complex value(a, std::sqrt(std::abs(b)) * std::sqrt(std::abs(c)));
  const double length = std::hypot(b, value.imag());
  const Complex x(b / length, 0.0), y(0.0, value.imag() / length);
  Eigen::Matrix2cd g;
  g << x, -std::conj(y), y, std::conj(x);
  const Index behind = t.cols() - k;
  t.block(k, k, 2, behind) = (g.adjoint() * t.block(k, k, 2, behind)).eval();
  t.topRows(k + 2).middleCols(k, 2) = (t.topRows(k + 2).middleCols(k, 2) * g).eval();
  t(k + 1, k) = 0.0;
  t(k, k) = value;
  t(k + 1, k + 1) = std::conj(value);
}

}  // namespace

ComplexSchur::ComplexSchur(const Matrix& x) : t_(real_schur(x).cast<Complex>()) {
  const Index n = t_.rows();
  for (Index k = 0; k + 1 < n; ++k)
    if (t_(k + 1, k) != 0.0) split(t_, k);
  eigenvalues_.resize(static_cast<std::size_t>(n));
  order_.resize(static_cast<std::size_t>(n));
  std::iota(order_.begin(), order_.end(), Index{0});
  for (const Index k : order_) eigenvalues_[static_cast<std::size_t>(k)] = t_(k, k);
}

void ComplexSchur::lead(std::span<const Index> numbers) {
  const int n = blas_int(dim());
  auto place = order_.begin();
  for (const Index number : numbers) {
    const auto found = std::find(place, order_.end(), number);
    int from = static_cast<int>(found - order_.begin()) + 1;
    int to = static_cast<int>(place - order_.begin()) + 1;
    int info = 0;
    if (from != to) {
      const BlasCall held;
      ztrexc_("N", &n, t_.data(), &n, nullptr, &n, &from, &to, &info, 1);
    }
    std::rotate(place, found, found + 1);
    ++place;
  }
}

Eigen::MatrixXcd ComplexSchur::leading(Index m) const {
  return t_.topLeftCorner(m, m).triangularView<Eigen::Upper>();
}

// The projector is [I, Y; 0, 0] with T11 Y - Y T22 = T12 up to the sign of Y.
double ComplexSchur::projector_norm(Index m) const {
  const Index rest = dim() - m;
  Eigen::MatrixXcd y = t_.topRightCorner(m, rest);
  for (Index j = 0; j < rest; ++j) {
    y.col(j) += y.leftCols(j) * t_.col(m + j).segment(m, j);
    for (Index i = m - 1; i >= 0; --i) {
      y(i, j) /= t_(i, i) - t_(m + j, m + j);
      y.col(j).head(i) -= y(i, j) * t_.col(i).head(i);
    }
  }
  const double norm = std::hypot(std::sqrt(static_cast<double>(m)), y.norm());
  return std::isfinite(norm) ? norm : std::numeric_limits<double>::infinity();
}

Vector ComplexSchur::conditions(const std::function<void(double)>& progress) {
  const int n = blas_int(dim()), columns = std::min(n, kVectorsAtOnce);
  Eigen::MatrixXcd left(dim(), columns), right(dim(), columns);
  std::vector<Complex> work(2 * static_cast<std::size_t>(n));
  Vector real_work(static_cast<std::size_t>(n));
  Vector result(static_cast<std::size_t>(n));
  for (Index first = 0; first < dim(); first += columns) {
    const Index count = std::min<Index>(columns, dim() - first);
    std::vector<int> selected(static_cast<std::size_t>(n), 0);
    std::fill_n(selected.begin() + first, count, 1);
    int found = 0, info = 0;
    {
      const BlasCall held;
      ztrevc_("B", "S", selected.data(), &n, t_.data(), &n, left.data(), &n, right.data(), &n,
              &columns, &found, work.data(), real_work.data(), &info, 1, 1);
    }
    // Left and right vector overlap in the eigenvalue's own place only.
    for (Index j = 0; j < count; ++j) {
      const double overlap = std::abs(left(first + j, j)) * std::abs(right(first + j, j));
      result[static_cast<std::size_t>(first + j)] =
          std::max(1.0, left.col(j).norm() * right.col(j).norm() / overlap);
    }
    if (progress) progress(static_cast<double>(first + count) / static_cast<double>(dim()));
  }
  return result;
}

}  // namespace sextant
