// SPDX-License-Identifier: Apache-2.0
// Block Krylov for the largest eigenpairs.
//
// The basis Q grows by blocks; T = Q^T B Q is projected in full, so that restarts and random blocks
// need no special form of T. Q is orthogonalised twice against everything: copies of converged
// vectors cannot come back.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.h"
#include "math/spectrum.h"
#include "math/tiles.h"

namespace sextant {
namespace {

constexpr double kConverged = 1e-10;   // residual over norm
constexpr double kDeflated = 1e-12;    // a direction below this share of the norm is rounding
constexpr double kSameValue = 1e-10;   // values over norm that a verification may move
constexpr Index kVerifyingBlocks = 4;  // blocks grown from random vectors before the end
constexpr Index kBlocksPerCheck = 4;   // a check costs a dense eigenproblem of the basis's size
constexpr std::uint64_t kSeed = 0x5e47;

// How the residual falls, from which follows whether waiting is worth it.
class Trend {
 public:
  // Columns after which the residual will have converged, by the slope of the last checks. The
  // first ones say nothing: the residual falls faster once the basis has been restarted.
  Index columns_needed(Index columns, double residual) {
    constexpr std::size_t kFirst = 9, kWindow = 4;
    columns_.push_back(static_cast<double>(columns));
    heights_.push_back(std::log(residual / kConverged));
    if (columns_.size() < kFirst) return columns;
    const std::size_t before = columns_.size() - kWindow;
    const double slope =
        (heights_[before] - heights_.back()) / (columns_.back() - columns_[before]);
    if (slope <= 0.0) return std::numeric_limits<Index>::max();
    return columns + static_cast<Index>(std::min(heights_.back() / slope, 1e9));
  }

 private:
  Vector columns_, heights_;
};

class BlockKrylov {
 public:
  BlockKrylov(Index n, const Operator& apply, const KrylovPlan& plan)
      : n_(n),
        block_(std::min(plan.block, n)),
        count_(plan.count),
        capacity_(std::min(n, std::max(4 * plan.count, plan.count + 16 * block_))),
        kept_(plan.count + (capacity_ - plan.count) / 3),
        most_columns_(plan.most_columns),
        hurried_(plan.hurried),
        apply_(apply),
        basis_(n, capacity_),
        projection_(capacity_, capacity_),
        next_(n, block_),
        x_(n, block_),
        y_(n, block_) {}

  Spectrum run() {
    draw_next();
    Vector before;  // the values that are being verified; none: not yet converged
    Index grown = 0, since_random = 0;
    Trend trend;
    for (Index columns = block_; columns <= most_columns_ || size_ + block_ >= n_;
         columns += block_) {
      if (size_ + block_ > capacity_ && size_ < n_) restart(kept_);
      grow();
      ++since_random;
      const bool full = size_ + block_ > capacity_ || size_ == n_;
      if (!full && (size_ < count_ || ++grown % kBlocksPerCheck != 0)) continue;
      solve();
      const double left = residual() / std::max(norm_, std::numeric_limits<double>::min());
      if (size_ == n_) return result();
      if (left > kConverged) {
        if (hurried_ && before.empty() && trend.columns_needed(columns, left) > most_columns_)
          return {};
        continue;
      }
      if (!before.empty() && since_random < kVerifyingBlocks) continue;
      if (!before.empty() && unchanged(before)) return result();
      before.assign(ritz_.begin(), ritz_.begin() + count_);
      restart(count_);
      draw_next();
      since_random = 0;
    }
    return {};
  }

 private:
  void draw_next() {
    for (Index j = 0; j < block_; ++j) draw(next_.col(j));
  }

  void draw(double* column) {
    const Rng rng(kSeed, stream_++);
    for (Index i = 0; i < n_; ++i) column[i] = rng.uniform(static_cast<std::uint64_t>(i)) - 0.5;
  }

  // Takes the span of the columns before `j` out of column `j` of the block.
  double orthogonalise(Index j) {
    double* column = next_.col(j);
    const std::span vector(column, static_cast<std::size_t>(n_));
    for (Index i = 0; i < j; ++i) {
      const double share = dot({next_.col(i), vector.size()}, vector);
      cblas_daxpy(blas_int(n_), -share, next_.col(i), 1, column, 1);
    }
    return std::sqrt(dot(vector, vector));
  }

  void remove_basis(double* columns, Index count) {
    Columns shares(size_, count);
    multiply_transposed(size_, count, n_, 1.0, basis_.col(0), n_, columns, n_, 0.0, shares.col(0),
                        std::max<Index>(size_, 1));
    if (size_ == 0) return;
    multiply(n_, count, size_, -1.0, basis_.col(0), n_, shares.col(0), size_, 1.0, columns, n_);
  }

  // Makes next_ orthonormal and orthogonal to the basis; directions that are mere rounding become
  // random ones.
  void orthonormalise(Index width) {
    const double least = kDeflated * norm_;
    for (int pass = 0; pass < 2; ++pass) {
      remove_basis(next_.col(0), width);
      for (Index j = 0; j < width; ++j) {
        double length = orthogonalise(j);
        for (int tries = 0; length <= (pass == 0 ? least : 0.5) && tries < 5; ++tries) {
          draw(next_.col(j));
          remove_basis(next_.col(j), 1);
          remove_basis(next_.col(j), 1);
          orthogonalise(j);
          length = orthogonalise(j);
        }
        cblas_dscal(blas_int(n_), 1.0 / length, next_.col(j), 1);
      }
    }
  }

  // Adds next_ to the basis, projects B onto it, and leaves what B adds in next_.
  void grow() {
    const Index width = std::min(block_, n_ - size_);
    orthonormalise(width);
    std::copy_n(next_.col(0), n_ * width, basis_.col(size_));
    for (Index j = 0; j < block_; ++j) {
      for (Index i = 0; i < n_; ++i) x_(i, j) = j < width ? next_.col(j)[i] : 0.0;
    }
    apply_(x_, y_);
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < n_; ++i) next_.col(j)[i] = y_(i, j);
    }
    const Index old = size_;
    size_ += width;
    Columns shares(size_, width);
    multiply_transposed(size_, width, n_, 1.0, basis_.col(0), n_, next_.col(0), n_, 0.0,
                        shares.col(0), size_);
    multiply(n_, width, size_, -1.0, basis_.col(0), n_, shares.col(0), size_, 1.0, next_.col(0),
             n_);
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < size_; ++i) {
        projection_(i, old + j) = projection_(old + j, i) = shares.col(j)[i];
      }
    }
    last_ = width;
  }

  // Ritz values, largest first, and their vectors in terms of the basis.
  void solve() {
    Matrix t(size_, size_);
    for (Index i = 0; i < size_; ++i) {
      for (Index j = 0; j <= i; ++j) t(i, j) = t(j, i) = projection_(i, j);
    }
    Spectrum small = lapack_eigenpairs(t, size_);
    ritz_ = std::move(small.values);
    coefficients_ = std::move(small.vectors);
    norm_ = std::max(std::abs(ritz_.front()), std::abs(ritz_.back()));
  }

  // The largest |B v - theta v| of the wanted pairs: what B adds to the last block, times the
  // coefficients of that block.
  double residual() const {
    if (size_ == n_) return 0.0;
    Matrix products(last_, last_);
    const BlasCall held;
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(last_), blas_int(last_),
                blas_int(n_), 1.0, next_.col(0), blas_int(n_), next_.col(0), blas_int(n_), 0.0,
                products.values().data(), blas_int(last_));
    double worst = 0.0;
    for (Index k = 0; k < count_; ++k) {
      double square = 0.0;
      for (Index i = 0; i < last_; ++i) {
        for (Index j = 0; j < last_; ++j) {
          square += coefficients_(size_ - last_ + i, k) * products(i, j) *
                    coefficients_(size_ - last_ + j, k);
        }
      }
      worst = std::max(worst, square);
    }
    return std::sqrt(worst);
  }

  bool unchanged(const Vector& before) const {
    for (std::size_t k = 0; k < before.size(); ++k) {
      if (std::abs(ritz_[k] - before[k]) > kSameValue * norm_) return false;
    }
    return true;
  }

  // The basis becomes its `kept` best Ritz vectors.
  void restart(Index kept) {
    const Columns vectors = ritz_vectors(kept);
    std::copy(vectors.values.begin(), vectors.values.end(), basis_.values.begin());
    std::fill(projection_.values().begin(), projection_.values().end(), 0.0);
    for (Index k = 0; k < kept; ++k) projection_(k, k) = ritz_[static_cast<std::size_t>(k)];
    size_ = kept;
  }

  Columns ritz_vectors(Index kept) const {
    Columns vectors(n_, kept);
    // The coefficients are stored by rows: transposed, by columns.
    const BlasCall held;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, blas_int(n_), blas_int(kept),
                blas_int(size_), 1.0, basis_.col(0), blas_int(n_), coefficients_.values().data(),
                blas_int(coefficients_.cols()), 0.0, vectors.col(0), blas_int(n_));
    return vectors;
  }

  Spectrum result() const {
    return to_spectrum(Vector(ritz_.begin(), ritz_.begin() + count_), ritz_vectors(count_), false);
  }

  Index n_, block_, count_, capacity_, kept_, most_columns_;
  bool hurried_;
  const Operator& apply_;
  Columns basis_;
  Matrix projection_;  // T
  Columns next_;       // what grows the basis next, before orthogonalisation
  Matrix x_, y_;       // one block, by rows
  Vector ritz_;
  Matrix coefficients_;
  Index size_ = 0;
  Index last_ = 0;
  double norm_ = 0.0;
  std::uint64_t stream_ = 0;
};

}  // namespace

Spectrum krylov_eigenpairs(Index n, const Operator& apply, const KrylovPlan& plan) {
  return BlockKrylov(n, apply, plan).run();
}

}  // namespace sextant
