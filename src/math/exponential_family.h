// SPDX-License-Identifier: Apache-2.0
// exp(tX) for many t: X = Q T Q^T is brought to real Schur form once, then exp(tX) = Q exp(tT) Q^T.
//
// The T of a normal X (rotations, symmetric matrices, sums of such that commute) is block diagonal
// up to rounding. Its blocks have closed forms, which stay accurate for every t, and a vector costs
// O(d^2). Every other X takes one exponential of T per t. math/matrix_exponential.h is the plain
// version.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "math/quasi_triangular.h"
#include "sextant/matrix.h"

namespace sextant {

class ExponentialFamily {
 public:
  // X is [d, d]. Throws kUsage unless it is square and not empty, kNumeric where an entry is not
  // finite or exceeds 2^500.
  explicit ExponentialFamily(Matrix generator);

  Index dim() const { return generator_.rows(); }
  const Matrix& generator() const { return generator_; }

  // Whether T is block diagonal up to rounding. So it is for every normal X.
  bool decoupled() const { return !coupled_; }

  // exp(tX), [d, d]. All of these throw kNumeric where the result overflows or means nothing: an
  // angle of 2^42 or more, or |tX| above 2^26 unless decoupled.
  Matrix at(double t) const;

  // x <- exp(tX) x and x <- exp(tX)^T x. Throws kUsage unless x has d entries.
  void apply(double t, std::span<double> x) const;
  void apply_transposed(double t, std::span<double> x) const;

  // Many t at once, with the bits of one at a time: exp(t_i X), and exp(t_i X) x as row i.
  std::vector<Matrix> at(std::span<const double> t) const;
  Matrix apply(std::span<const double> t, std::span<const double> x) const;

 private:
  Vector to_schur_basis(std::span<const double> x) const;
  // exp(tT) z, or exp(tT)^T z, in the Schur basis.
  Vector in_schur_basis(double t, bool transposed, const Vector& z) const;
  void apply(double t, bool transposed, std::span<double> x) const;

  Matrix generator_;
  Columns q_, q_transposed_;
  std::vector<SchurBlock> blocks_;
  std::optional<QuasiTriangularExponential> coupled_;
};

}  // namespace sextant
