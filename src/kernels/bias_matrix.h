// SPDX-License-Identifier: Apache-2.0
// Materialised logit biases.
#pragma once

#include <cstdint>
#include <span>

#include "sextant/encoding.h"

namespace sextant {

struct ShortType {
  std::uint16_t (*bits)(double value);
  double (*value)(std::uint16_t bits);
};

// b_h(s, t) for every head and every pair of positions, out is [heads, n, n], s before t.
//
// Consecutive positions and a bias of the lag alone: 2n-1 values per head are computed, and each
// row is a slice of them. Anything else asks the bias for every pair.
//
// A value is a finite number that fits the type, or -infinity. Throws kNumeric with the first
// index [head, query, key] that breaks this.
void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      std::span<float> out);
void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      std::span<double> out);

// In a type of 16 bits.
void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      const ShortType& type, std::span<std::uint16_t> out);

// The list of one head that these rows are slices of, [2n - 1]: entry n-1 + j - i is the bias of
// query i and key j. Throws as above. REQUIRES: the bias depends on the lag only.
void fill_bias_by_lag(const LogitBias& bias, Index head, Index n, std::span<float> list);

// The matrix by asking for every pair: the reference.
void fill_bias_matrix_plain(const LogitBias& bias, Index heads, const Positions& positions,
                            std::span<double> out);

}  // namespace sextant
