// SPDX-License-Identifier: Apache-2.0
// What a linear read-out of a random transformer can learn by heart: the rank of its features over
// (sequence, position) pairs, and what it leaves of a random map.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "theory/residual_symmetry.h"

namespace sextant {

// The mean squared error that a least-squares read-out of the columns of `features` and a constant
// leaves of the targets; directions below 1e-12 of the features' norm are rounding and not used.
double readout_error(const Matrix& features, const Vector& targets);

// Binary sequences of length n: all of them up to `most`; else the constant ones and random ones
// with their reversals, `most` or one less, each once.
std::vector<std::string> binary_sequences(Index n, Index most, std::uint64_t seed);

struct Memorisation {
  Index pairs = 0;     // (sequence, position)
  Index orbits = 0;    // of pairs that the symmetry makes equal
  Index distinct = 0;  // different outputs of the model: fewer where orbits share one
  Index rank = 0;      // of the features over pairs
  double error = 0.0;  // of the read-out on random targets of mean square 1, mean squared
  double least = 0.0;  // what the orbits leave of the targets at best
};

// Features are those of a random model, followed by a random layer of as many GELU units as there
// are pairs: a feed-forward part wide enough to learn every pair by heart.
Memorisation memorise(const Transformer& model, const Effects& effects,
                      const ResidualSymmetry& symmetry, const std::vector<std::string>& sequences,
                      std::uint64_t seed);

}  // namespace sextant
