// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sextant/matrix.h"

namespace sextant {

// Above it exp(sX + tY) is not exp(sX) exp(tY) for our purposes.
inline constexpr double kCommutatorTolerance = 1e-10;

// The largest |XY - YX| / (|X| |Y|) of two of the matrices, in Frobenius norms: 0 where all
// commute, at most 2. A matrix of zeros commutes. REQUIRES: all are [d, d].
double commutator_norm(std::span<const Matrix> matrices);

}  // namespace sextant
