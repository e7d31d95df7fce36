// SPDX-License-Identifier: Apache-2.0
#include "theory/neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/eigen_map.h"
#include "math/lapack.h"
#include "math/tiles.h"

namespace sextant {
namespace {

// Below this share of |x|^2 + |y|^2 a squared distance has lost more than four digits.
constexpr double kCancelled = 1e-4;

// The slow norm where squares do not fit a double.
template <typename Expression>
double norm_of(const Expression& x) {
  const double norm = x.norm();
  return std::isfinite(norm) ? norm : x.stableNorm();
}

class Comparison {
 public:
  Comparison(const Matrix& points, Index train) : points_(points) {
    const Index n = points.rows();
    const auto count = static_cast<std::size_t>(n);
    result_.nearest.assign(count, std::numeric_limits<double>::infinity());
    result_.collisions.assign(count, 0.0);
    repeats_.assign(count, false);
    for (Index i = 0; i < n; ++i) {
      const double norm = norm_of(as_eigen(points.row(i)));
      result_.norms.push_back(norm);
      squares_.push_back(norm * norm);
      if (i < train && std::isfinite(norm)) scale_ = std::max(scale_, norm);
    }
  }

  void compare(const Tile& tile, std::span<double> products) {
    const Index k = points_.cols();
    if (k > 0) {  // by rows: products = x y^T
      multiply_transposed(tile.cols(), tile.rows(), k, 1.0, points_.row(tile.first).data(), k,
                          points_.row(tile.first_row).data(), k, 0.0, products.data(), tile.cols());
    }
    for (Index i = tile.first_row; i < tile.last_row; ++i) {
      for (Index j = std::max(tile.first, i + 1); j < tile.last; ++j) {
        const Index at = (i - tile.first_row) * tile.cols() + j - tile.first;
        meet(static_cast<std::size_t>(i), static_cast<std::size_t>(j),
             k > 0 ? products[static_cast<std::size_t>(at)] : 0.0);
      }
    }
  }

  Neighbours result() {
    for (std::size_t i = 0; i < repeats_.size(); ++i) {
      if (!std::isfinite(result_.norms[i]) || std::isinf(result_.nearest[i]))
        result_.nearest[i] = std::numeric_limits<double>::quiet_NaN();
      if (!repeats_[i]) ++result_.distinct;
    }
    return std::move(result_);
  }

 private:
  void meet(std::size_t i, std::size_t j, double product) {
    const double both = squares_[i] + squares_[j], squared = both - 2.0 * product;
    // Squares that overflow fail this test too.
    const double distance = squared > kCancelled * both ? std::sqrt(squared) : difference(i, j);
    if (std::isnan(distance)) return;
    result_.nearest[i] = std::min(result_.nearest[i], distance);
    result_.nearest[j] = std::min(result_.nearest[j], distance);
    if (distance > kAlike * std::max({scale_, result_.norms[i], result_.norms[j]})) return;
    result_.collisions[i] += 1.0;
    result_.collisions[j] += 1.0;
    repeats_[j] = true;
  }

  double difference(std::size_t i, std::size_t j) const {
    if (!std::isfinite(result_.norms[i]) || !std::isfinite(result_.norms[j]))
      return std::numeric_limits<double>::quiet_NaN();
    const auto x = as_eigen(points_.row(static_cast<Index>(i)));
    const auto y = as_eigen(points_.row(static_cast<Index>(j)));
    return norm_of(x - y);
  }

  const Matrix& points_;
  Vector squares_;  // of the norms
  double scale_ = 0.0;
  std::vector<bool> repeats_;
  Neighbours result_;
};

}  // namespace

Neighbours neighbours(const Matrix& points, Index train) {
  Comparison comparison(points, train);
  Vector products(static_cast<std::size_t>(kDistanceTile * kDistanceTile));
  for (const Tile& tile : upper_tiles(points.rows(), kDistanceTile))
    comparison.compare(tile, products);
  return comparison.result();
}

}  // namespace sextant
