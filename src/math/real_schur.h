// SPDX-License-Identifier: Apache-2.0
// The real Schur form X = Q T Q^T: Q orthogonal, T quasi-triangular in the standard form of LAPACK.
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// T in place of X, [n, n] by columns, and Q in `q` unless that is null. Throws kNumeric where the
// eigenvalues do not converge.
void to_real_schur(Index n, double* x, double* q);

}  // namespace sextant
