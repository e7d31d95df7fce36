// SPDX-License-Identifier: Apache-2.0
// Exponentials of the quasi-triangular factor T of a real Schur form.
#pragma once

#include <vector>

#include "math/double_double.h"
#include "math/lapack.h"

namespace sextant {

// A real eigenvalue of T, or a conjugate pair decay +- i frequency in the standard form of LAPACK,
// [[decay, upper], [lower, decay]] with upper * lower < 0.
struct SchurBlock {
  Index at = 0;  // its first row
  double decay = 0.0;
  double upper = 0.0, lower = 0.0;
  DoubleDouble frequency = 0.0;  // sqrt(-upper * lower)

  bool pair() const { return lower != 0.0; }
  Index dim() const { return pair() ? 2 : 1; }
};

// exp of a block: [[diagonal, upper], [lower, diagonal]].
struct BlockExponential {
  double diagonal = 0.0, upper = 0.0, lower = 0.0;
};

// The blocks along the diagonal of T, [d, d] by columns.
std::vector<SchurBlock> schur_blocks(const Columns& t);

// exp(t B), right to a few units in the last place of its norm however large the angle: t * decay
// and t * frequency are not rounded. Throws kNumeric where it overflows, and where the angle
// reaches kLargestAngle.
BlockExponential exponential(const SchurBlock& block, double t);

// exp(tT) by scaling and squaring with the Pade approximant of degree 13 (Higham 2005). Squaring
// starts each time from exact exponentials of the diagonal blocks (Al-Mohy and Higham 2009), so
// that they do not drift.
class QuasiTriangularExponential {
 public:
  explicit QuasiTriangularExponential(Columns t);

  // [d, d] by columns. Throws kNumeric where |tT| exceeds 2^26, beyond which squaring has lost half
  // of the digits, and where the result is not finite.
  Columns at(double t) const;

 private:
  Columns pade(double scale) const;

  Index dim_;
  std::vector<SchurBlock> blocks_;
  double norm_ = 0.0;          // of T
  Columns t1_, t2_, t4_, t6_;  // powers of T / norm
};

}  // namespace sextant
