// SPDX-License-Identifier: Apache-2.0
// Dense numbers as the public interface passes them. No algebra: inside the library Eigen maps
// onto these buffers, so that a consumer needs no Eigen.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sextant {

using Index = std::ptrdiff_t;
using Vector = std::vector<double>;

// Row-major [rows, cols], zero at first.
class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols)
      : rows_(rows), cols_(cols), values_(static_cast<std::size_t>(rows * cols)) {}

  static Matrix identity(Index n) {
    Matrix result(n, n);
    for (Index i = 0; i < n; ++i) result(i, i) = 1.0;
    return result;
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  double& operator()(Index i, Index j) { return values_[static_cast<std::size_t>(i * cols_ + j)]; }
  double operator()(Index i, Index j) const {
    return values_[static_cast<std::size_t>(i * cols_ + j)];
  }

  std::span<double> row(Index i) { return std::span(values_).subspan(start(i), width()); }
  std::span<const double> row(Index i) const {
    return std::span(values_).subspan(start(i), width());
  }

  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

 private:
  std::size_t start(Index i) const { return static_cast<std::size_t>(i * cols_); }
  std::size_t width() const { return static_cast<std::size_t>(cols_); }

  Index rows_ = 0;
  Index cols_ = 0;
  Vector values_;
};

}  // namespace sextant
