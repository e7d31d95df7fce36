// SPDX-License-Identifier: Apache-2.0
// J B J with J = I - 11^T/n: rows and columns minus their means.
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// In place, for a symmetric matrix, which stays symmetric to the last bit. Twice: the means of the
// first time are rounded, and n times their error would be an eigenvalue of its own, perhaps a
// negative one.
void centre_both_sides(Matrix& symmetric);

}  // namespace sextant
