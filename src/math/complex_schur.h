// SPDX-License-Identifier: Apache-2.0
// The complex Schur form of a real matrix, with eigenvalues that can be moved to the front.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <functional>
#include <span>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

using Complex = std::complex<double>;

// X = Q T Q^H with T upper triangular; Q is not kept. An eigenvalue keeps its number when it moves:
// its place on the first diagonal. Conjugates have neighbouring numbers, the one above the real
// axis first, and are exact conjugates.
class ComplexSchur {
 public:
  // X is [d, d] and finite. Throws kNumeric where LAPACK does not converge. Cost about 10 d^3.
  explicit ComplexSchur(const Matrix& x);

  Index dim() const { return static_cast<Index>(eigenvalues_.size()); }
  Complex eigenvalue(Index number) const { return eigenvalues_[static_cast<std::size_t>(number)]; }

  // Brings these eigenvalues to the front of T, in this order. Cost O(d) per place moved.
  void lead(std::span<const Index> numbers);

  // The first m rows and columns of T.
  Eigen::MatrixXcd leading(Index m) const;

  // Frobenius norm of the spectral projector of the first m eigenvalues, infinite where they are
  // not apart from the others: how much their mean moves, times m, per perturbation of X.
  double projector_norm(Index m) const;

  // The same for every eigenvalue alone, by number, from the eigenvectors of T; where the
  // eigenvalue is defective, large. Calls `progress` with the part done. Cost 3 d^3.
  // REQUIRES: nothing moved yet.
  Vector conditions(const std::function<void(double)>& progress);

 private:
  Eigen::MatrixXcd t_;
  std::vector<Complex> eigenvalues_;  // by number
  std::vector<Index> order_;          // number at each place of the diagonal
};

}  // namespace sextant
