// SPDX-License-Identifier: Apache-2.0
// Daubechies' scaling function and wavelet at any point, by the two-scale relation.
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// "Daubechies-4" names two things: 4 taps (D4, two vanishing moments) and 8 taps (db4, four).
class DaubechiesWavelet {
 public:
  // REQUIRES: taps is 4 or 8.
  explicit DaubechiesWavelet(Index taps);

  // Both vanish outside (0, taps-1). A dyadic x = m/2^r takes r steps and is exact up to rounding.
  double phi(double x) const;
  double psi(double x) const;

  Index taps() const { return static_cast<Index>(filter_.size()); }

 private:
  Vector filter_;       // c_k of phi(x) = sum_k c_k phi(2x - k), summing to 2
  Vector at_integers_;  // phi(0), ..., phi(taps-2)
};

}  // namespace sextant
