// SPDX-License-Identifier: Apache-2.0
// Distances between positions: made, embedded, compared.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

// Distances of n points over the pairs i < j, row after row: (0,1), (0,2), ..., (n-2,n-1).
class DistanceMatrix {
 public:
  DistanceMatrix() = default;
  explicit DistanceMatrix(Index n) : n_(n), values_(static_cast<std::size_t>(pairs(n))) {}

  static constexpr Index pairs(Index n) { return n * (n - 1) / 2; }
  Index size() const { return n_; }
  // Where row i starts: the pair (i, j) stands at row_start(i) + j - i - 1.
  Index row_start(Index i) const { return i * (2 * n_ - i - 1) / 2; }
  double operator()(Index i, Index j) const {
    if (i == j) return 0.0;
    return values_[static_cast<std::size_t>(i < j ? row_start(i) + j - i - 1
                                                  : row_start(j) + i - j - 1)];
  }
  std::span<double> values() { return values_; }
  std::span<const double> values() const { return values_; }

 private:
  Index n_ = 0;
  Vector values_;
};

// ---------------------------------------------------------------------------------------------
// Candidates: distances that need not be stored

// Distances that are computed piece by piece, so that no second n x n array is needed.
class Distances {
 public:
  virtual ~Distances() = default;
  virtual Index size() const = 0;
  // Writes d(i, j) for first <= j < last, j > i only where asked: REQUIRES i < first.
  virtual void row(Index i, Index first, Index last, std::span<double> out) const = 0;
  // Many rows at once: d(i, j) for first_row <= i < last_row and first <= j < last into out, row
  // after row of `last - first` numbers. Only entries with i < j have a meaning. May differ from
  // row() in the last bits; for one tile it is always the same.
  virtual void tile(Index first_row, Index last_row, Index first, Index last,
                    std::span<double> out) const;
};
std::unique_ptr<Distances> distances_of_rows(Matrix points);       // Euclidean, points [n, d]
std::unique_ptr<Distances> distances_by_lag(Index n, Vector lag);  // d(i, j) = lag[j - i]
std::unique_ptr<Distances> distances_of(DistanceMatrix stored);
DistanceMatrix stored(const Distances& distances);

// ---------------------------------------------------------------------------------------------
// Embedding

// B = -1/2 J D2 J of squared distances, [n, n].
Matrix gram_of_squared(const DistanceMatrix& squared);

struct Spectrum {
  Vector values;               // largest first
  Matrix vectors;              // [n, number of values], one column each; deterministic signs
  double residual = 0.0;       // max |B v - lambda v| / |B|
  double orthogonality = 0.0;  // max |V^T V - I|
  bool multiplicity_certified = true;
};
// The `count` largest eigenpairs (0: all) of a symmetric matrix. Dense LAPACK where it is the
// faster one, block Lanczos with residual, orthogonality and inertia checks otherwise.
Spectrum top_eigenpairs(const Matrix& symmetric, Index count, Index threads = 1);
// The same for y = B x without a matrix. apply(x, y) on columns, both [n, block] row-major.
using Operator = std::function<void(const Matrix& x, Matrix& y)>;
Spectrum top_eigenpairs(Index n, const Operator& apply, Index count);
// All eigenvalues, largest first; no vectors.
Vector eigenvalues(const Matrix& symmetric);

struct Embedding {
  Matrix points;  // [n, rank]
  Vector eigenvalues;
};
// Torgerson's construction from B: column k is sqrt(lambda_k) u_k; negative eigenvalues give zeros.
Embedding classical_mds(const Matrix& gram, Index rank, Index threads = 1);

struct SmacofResult {
  Matrix points;
  double stress_raw = 0.0;
  Index iterations = 0;
  bool converged = false;
};
// Minimises raw stress from `start` by majorisation (Guttman transforms). Never ends above the
// start. Stops when a step gains less than `tolerance` times the stress.
SmacofResult smacof(const DistanceMatrix& target, const Matrix& start, Index most_iterations = 1000,
                    double tolerance = 1e-9, Index threads = 1);

struct Ranks {
  Index numerical = 0;   // eigenvalues above 1e-9 of the largest
  double entropy = 0.0;  // exp of the entropy of the shares
  double participation = 0.0;
  Index share90 = 0, share99 = 0;  // smallest r that holds 90 and 99 % of the trace
  double negative_mass = 0.0;      // sum |negative| / sum |all|
};
Ranks ranks(std::span<const double> eigenvalues);  // any order

// ---------------------------------------------------------------------------------------------
// Comparison

// Sums over the pairs i < j of targets d and candidate e, from which every stress follows.
struct PairSums {
  double dd = 0.0, ee = 0.0, de = 0.0;
  double raw() const;  // sum (d-e)^2 / sum d^2; 0 by definition when every d is 0
  double scaled()
      const;  // 1 - (sum de)^2 / (sum dd sum ee); 0 when every d is 0, else 1 when every e is
  double scale() const;  // sum de / sum ee
};
// One candidate against many targets of one size; each piece of the candidate is computed once.
// Fixed order of summation: the same bits for any number of threads.
std::vector<PairSums> pair_sums(std::span<const DistanceMatrix* const> targets,
                                const Distances& candidate, Index threads = 1);

double spearman(std::span<const double> a,
                std::span<const double> b);  // ties share their mean rank
double pearson(std::span<const double> a, std::span<const double> b);

// 1 - (nuclear norm of Y^T X)^2 / (|X|^2 |Y|^2): what is left after the best rotation, reflection
// and scale of the points behind `candidate` onto the centred points Y [n, r].
double procrustes_residual(const Matrix& points, const Distances& candidate);

}  // namespace sextant
