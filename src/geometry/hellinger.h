// SPDX-License-Identifier: Apache-2.0
// Squared Hellinger distances of positions from roots of counts:
// d2(i,j) = |sqrt P_i - sqrt P_j|^2 = 2 - 2 sum_v sqrt(c_iv c_jv) / sqrt(N_i N_j).
#pragma once

#include <span>

#include "math/gram.h"
#include "sextant/geometry.h"

namespace sextant {

// Squared distance below which 2 - 2 cos has lost digits.
inline constexpr double kCloseSquared = 1e-3;

// `roots` holds sqrt(c_iv); `sequences` holds N_i = sum_v c_iv > 0. From a Gram matrix in double;
// pairs that are so close that it would cancel are summed again from differences, so that equal
// positions have distance 0 exactly.
DistanceMatrix squared_hellinger(const SparseColumns& roots, std::span<const double> sequences,
                                 Index threads);

// The same from the Gram matrix alone: good to 1e-15 absolutely, not relatively.
DistanceMatrix squared_hellinger_of_gram(const Matrix& gram, std::span<const double> sequences);

// sqrt(max(d2, 0)).
DistanceMatrix rooted(const DistanceMatrix& squared);

DistanceMatrix squares(const DistanceMatrix& distances);

double mean(const DistanceMatrix& distances);  // over the pairs; 0 without pairs

}  // namespace sextant
