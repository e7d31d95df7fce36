// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// Throws kNumeric where `norm`, that of tX, exceeds 2^26: squaring loses about |tX| units in the
// last place, beyond this more than half of the digits.
void check_exponent(double norm, double t);

// exp(t X) by scaling and squaring with a Pade approximant. X is [d, d]. Throws kNumeric when
// |tX| exceeds 2^26 or the result is not finite.
Matrix matrix_exponential(const Matrix& generator, double t);

}  // namespace sextant
