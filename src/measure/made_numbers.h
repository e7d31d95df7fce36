// SPDX-License-Identifier: Apache-2.0
// Made-up inputs of the sizes and shapes that real ones have, the same in every run: for `sextant
// bench` and the programs of bench/.
#pragma once

#include "math/gram.h"
#include "sextant/matrix.h"

namespace sextant {

// Column v stands in a share 1 - exp(-mass / (v + 1)) of the rows: whether a token of a Zipf law
// occurs at a position at least once. mass = 0: everywhere.
SparseColumns zipf_columns(Index rows, Index columns, double mass);
// The same densely, [columns, rows].
Vector written_out(const SparseColumns& s);

// Positional laws drift and are sampled: a smooth part, and noise that makes a flat bulk. [n, n]
Matrix noisy_gram(Index n, double noise);

// Sinusoids (close points at small lags) or Gaussian points (no close ones). [n, dim]
enum class PointCloud { kSinusoids, kGaussian };
Matrix made_points(Index n, Index dim, PointCloud cloud);

// Damped rotations with the frequencies of rope in a random orthonormal basis: normal, and of
// spectral radius |1 + i kGeneratorDecay|. [d, d], d even.
inline constexpr double kGeneratorDecay = -0.01;
Matrix normal_generator(Index d);
// Gaussian entries of deviation 1/d: not normal.
Matrix general_generator(Index d);

}  // namespace sextant
