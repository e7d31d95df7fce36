// SPDX-License-Identifier: Apache-2.0
// exp(tX) where it would overflow, as a matrix and a factor.
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// e^log_scale * m, with |m| about 1.
struct ScaledExponential {
  Matrix m;
  double log_scale = 0.0;

  // exp(tX) for any t |X| below 2^26: beyond, rounding takes more than half of the digits.
  static ScaledExponential of(const Matrix& x, double t);

  double log_norm() const;                  // of the 2-norm, by power iteration: to about 0.1 %
  void multiply(const ScaledExponential&);  // from the right; the times add
};

}  // namespace sextant
