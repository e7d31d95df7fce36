// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// exp(t X) by scaling and squaring with a Pade approximant. X is [d, d]. Throws kNumeric when
// |tX| exceeds 2^26 or the result is not finite.
Matrix matrix_exponential(const Matrix& generator, double t);

}  // namespace sextant
