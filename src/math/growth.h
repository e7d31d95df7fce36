// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// Whether |exp(tX)| keeps growing as t goes to infinity in the direction of `sign`, judged by its
// norms at |t| = 2^10 and 2^20.
bool grows(const Matrix& generator, double sign);

}  // namespace sextant
