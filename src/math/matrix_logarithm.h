// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// The principal logarithm of Z, [d, d]: real, with frequencies in (-pi, pi). Throws kNumeric when
// the result is not finite. REQUIRES: no eigenvalue of Z is zero or real and negative.
Matrix matrix_logarithm(const Matrix& z);

}  // namespace sextant
