// SPDX-License-Identifier: Apache-2.0
// J S S^T J x for rows that lie over the ranks of a job, J = I - 11^T/n: their centred Gram matrix
// without the matrix.
#pragma once

#include <functional>
#include <span>

#include "base/communicator.h"
#include "geometry/position_rows.h"
#include "sextant/geometry.h"

namespace sextant {

// Sums over rows are exact up to one rounding at their end, so that products have the same bits for
// any number of ranks and threads.
class RowOperator {
 public:
  // Both must outlive the operator.
  RowOperator(const PositionRows& rows, Communicator& ranks, Index threads);

  // Collective: trace of J S S^T J, the same bits on every rank.
  double trace() const;

  // Collective: y = S_r (S^T x) of the rows of this rank, where x has the other rows on the other
  // ranks; nothing is centred. `length` is at least |x|, all ranks together, and the same on each.
  void multiply(std::span<const double> x, double length, std::span<double> y) const;

  // Collective: rank 0 runs `work` with the whole operator, in which all ranks then work together;
  // the others return when it ends. What `work` throws is thrown on every rank.
  void serve(const std::function<void(const Operator&)>& work) const;

  // Bytes that products take, beside the rows.
  static double bytes(Index rows, Index tokens, Index threads);

 private:
  template <int kWidth>
  Vector transposed(const double* x, double length) const;
  template <int kWidth>
  void forward(const Vector& z, double* y) const;
  void apply(const Matrix& x, Matrix& y) const;
  void answer() const;
  Vector product(Vector message) const;

  const PositionRows& rows_;
  Communicator& ranks_;
  Index threads_;
  CountRoots root_;
};

}  // namespace sextant
