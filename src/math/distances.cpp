// SPDX-License-Identifier: Apache-2.0
// Distances that are computed when they are asked for.
//
// Tiles of Euclidean distances are products of matrices: |x - y|^2 = |x|^2 + |y|^2 - 2 xy of
// centred points. Where this cancels, close points are measured again by their differences: every
// distance is good to 1e-11 of itself, and equal rows have distance 0.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "math/eigen_map.h"
#include "math/lapack.h"
#include "math/memory_plan.h"
#include "math/tiles.h"
#include "sextant/geometry.h"

namespace sextant {

void Distances::tile(Index first_row, Index last_row, Index first, Index last,
                     std::span<double> out) const {
  const Index width = last - first;
  for (Index i = first_row; i < last_row; ++i) {
    const Index from = std::max(first, i + 1);
    if (from >= last) continue;
    row(i, from, last,
        out.subspan(static_cast<std::size_t>((i - first_row) * width + from - first),
                    static_cast<std::size_t>(last - from)));
  }
}

namespace {

// Below this share of |x|^2 + |y|^2 a squared distance has lost more than four digits.
constexpr double kCancelled = 1e-4;

class RowDistances final : public Distances {
 public:
  explicit RowDistances(Matrix points) : points_(std::move(points)) {
    const Index n = points_.rows();
    squares_.resize(static_cast<std::size_t>(n));
    if (n == 0) return;
    Vector mean(static_cast<std::size_t>(points_.cols()));
    for (Index i = 0; i < n; ++i) as_eigen(std::span(mean)) += as_eigen(points_.row(i));
    as_eigen(std::span(mean)) /= static_cast<double>(n);
    for (Index i = 0; i < n; ++i) as_eigen(points_.row(i)) -= as_eigen(std::span(mean));
    for (Index i = 0; i < n; ++i) squares_[static_cast<std::size_t>(i)] = dot(row_of(i), row_of(i));
  }

  Index size() const override { return points_.rows(); }

  void row(Index i, Index first, Index last, std::span<double> out) const override {
    for (Index j = first; j < last; ++j) {
      out[static_cast<std::size_t>(j - first)] = std::sqrt(squared_difference(i, j));
    }
  }

  void tile(Index first_row, Index last_row, Index first, Index last,
            std::span<double> out) const override {
    const Index dim = points_.cols(), width = last - first;
    if (dim == 0) return std::fill(out.begin(), out.end(), 0.0);
    // By rows: out = -2 x y^T.
    multiply_transposed(width, last_row - first_row, dim, -2.0, points_.row(first).data(), dim,
                        points_.row(first_row).data(), dim, 0.0, out.data(), width);
    for (Index i = first_row; i < last_row; ++i) {
      const auto line = out.subspan(static_cast<std::size_t>((i - first_row) * width),
                                    static_cast<std::size_t>(width));
      if (add_squares(i, first, line)) measure_close(i, first, line);
      as_eigen(line) = as_eigen(line).array().max(0.0).sqrt();
    }
  }

 private:
  std::span<const double> row_of(Index i) const { return points_.row(i); }

  double squared_difference(Index i, Index j) const {
    const auto x = row_of(i), y = row_of(j);
    double sum = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
  }

  bool is_close(double squared, Index i, std::size_t j) const {
    return squared <= kCancelled * (squares_[static_cast<std::size_t>(i)] + squares_[j]);
  }

  // Completes the squared distances of point i; true where some have cancelled.
  bool add_squares(Index i, Index first, std::span<double> line) const {
    const double own = squares_[static_cast<std::size_t>(i)];
    const double* others = squares_.data() + first;
    Index close = 0;
    for (std::size_t k = 0; k < line.size(); ++k) {
      const double both = own + others[k];
      line[k] += both;
      close += line[k] <= kCancelled * both ? 1 : 0;
    }
    return close > 0;
  }

  void measure_close(Index i, Index first, std::span<double> line) const {
    for (std::size_t k = 0; k < line.size(); ++k) {
      const Index j = first + static_cast<Index>(k);
      if (is_close(line[k], i, static_cast<std::size_t>(j))) line[k] = squared_difference(i, j);
    }
  }

  Matrix points_;   // centred
  Vector squares_;  // |x_i|^2
};

class LagDistances final : public Distances {
 public:
  LagDistances(Index n, Vector lag) : n_(n), lag_(std::move(lag)) {
    require(static_cast<Index>(lag_.size()) >= n, "distances by lag", "{} lags for {} positions",
            lag_.size(), n);
  }

  Index size() const override { return n_; }

  void row(Index i, Index first, Index last, std::span<double> out) const override {
    std::copy(lag_.begin() + (first - i), lag_.begin() + (last - i), out.begin());
  }

 private:
  Index n_;
  Vector lag_;
};

class StoredDistances final : public Distances {
 public:
  explicit StoredDistances(DistanceMatrix stored) : stored_(std::move(stored)) {}

  Index size() const override { return stored_.size(); }

  void row(Index i, Index first, Index last, std::span<double> out) const override {
    const auto values = std::as_const(stored_).values();
    const auto from = values.begin() + stored_.row_start(i) + first - i - 1;
    std::copy(from, from + (last - first), out.begin());
  }

 private:
  DistanceMatrix stored_;
};

}  // namespace

std::unique_ptr<Distances> distances_of_rows(Matrix points) {
  return std::make_unique<RowDistances>(std::move(points));
}

std::unique_ptr<Distances> distances_by_lag(Index n, Vector lag) {
  return std::make_unique<LagDistances>(n, std::move(lag));
}

std::unique_ptr<Distances> distances_of(DistanceMatrix stored) {
  return std::make_unique<StoredDistances>(std::move(stored));
}

DistanceMatrix stored(const Distances& distances) {
  const Index n = distances.size();
  refuse_beyond_memory("distances", bytes_of(n, n) / 2);
  DistanceMatrix result(n);
  Vector buffer(static_cast<std::size_t>(kDistanceTile * kDistanceTile));
  for (const Tile& tile : upper_tiles(n, kDistanceTile)) {
    distances.tile(tile.first_row, tile.last_row, tile.first, tile.last,
                   std::span(buffer).first(static_cast<std::size_t>(tile.rows() * tile.cols())));
    for (Index i = tile.first_row; i < tile.last_row; ++i) {
      const Index from = std::max(tile.first, i + 1);
      if (from >= tile.last) continue;
      const auto line = buffer.begin() + (i - tile.first_row) * tile.cols();
      std::copy(line + (from - tile.first), line + tile.cols(),
                result.values().begin() + result.row_start(i) + from - i - 1);
    }
  }
  return result;
}

}  // namespace sextant
