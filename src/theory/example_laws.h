// SPDX-License-Identifier: Apache-2.0
// Laws of tokens to try a statement about positional distributions on: random ones, their Hellinger
// distances, and what scaling makes of these.
#pragma once

#include <cstdint>

#include "sextant/geometry.h"

namespace sextant {

// n laws over `words` tokens, one a row, uniform on the simplex.
Matrix random_laws(Index n, Index words, std::uint64_t seed);

// |sqrt P_i - sqrt P_j| between the rows: at most sqrt 2, without the factor 1/sqrt 2 that others
// put before it.
DistanceMatrix hellinger_of_laws(const Matrix& laws);

// B = -1/2 J D2 J of distances that are not squared.
Matrix gram_of_distances(const DistanceMatrix& distances);

// sum (d - |x_i - x_j|)^2 / sum d^2 for points [n, r].
double raw_stress(const DistanceMatrix& target, const Matrix& points);

}  // namespace sextant
