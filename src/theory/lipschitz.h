// SPDX-License-Identifier: Apache-2.0
// How much one layer of a transformer can stretch a difference between two inputs: the largest
// singular value of its Jacobian, by power iteration with exact products J v and J^T u.
#pragma once

#include <cstdint>

#include "sextant/transformer.h"

namespace sextant {

// dy of the layer for a change dx of its input x, and the gradient with respect to x of <u, y>.
// All [n, dim]. The layer is the first one: rows of an input table are added to x. Throws kUsage
// where sizes do not fit.
Matrix layer_pushforward(const TransformerLayer& layer, const TransformerShape& shape,
                         const Effects& effects, const Matrix& x, const Matrix& dx);
Matrix layer_pullback(const TransformerLayer& layer, const TransformerShape& shape,
                      const Effects& effects, const Matrix& x, const Matrix& u);

// |J|_2 at one input, from below: power iteration to relative 1e-6 or 200 steps, from a random
// start.
double local_lipschitz(const TransformerLayer& layer, const TransformerShape& shape,
                       const Effects& effects, const Matrix& x, std::uint64_t seed);

// The largest local constant |J|_2 over `draws` random inputs of n tokens, each token of norm
// `radius`: a lower bound for the Lipschitz constant on the ball. NaN where one of them is.
double layer_lipschitz(const TransformerLayer& layer, const TransformerShape& shape,
                       const Effects& effects, Index n, double radius, Index draws,
                       std::uint64_t seed);

}  // namespace sextant
