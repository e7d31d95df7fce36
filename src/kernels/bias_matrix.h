// SPDX-License-Identifier: Apache-2.0
// Materialised logit biases.
#pragma once

#include <span>

#include "sextant/encoding.h"

namespace sextant {

// b_h(s, t) for every head and every pair of positions, out is [heads, n, n], s before t.
//
// Consecutive positions and a bias of the lag alone: 2n-1 values per head are computed, and each
// row is a slice of them. Anything else asks the bias for every pair.
void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      std::span<float> out);
void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      std::span<double> out);

// The same by asking for every pair: the reference.
void fill_bias_matrix_plain(const LogitBias& bias, Index heads, const Positions& positions,
                            std::span<double> out);

}  // namespace sextant
