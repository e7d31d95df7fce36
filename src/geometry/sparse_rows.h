// SPDX-License-Identifier: Apache-2.0
// The rows of a matrix that is stored by columns.
#pragma once

#include <cstdint>
#include <vector>

#include "math/gram.h"

namespace sextant {

// Row i holds the entries starts[i] .. starts[i+1], tokens rising.
struct SparseRows {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> token;
  std::vector<double> value;
};
SparseRows by_rows(const SparseColumns& columns);

// sum_v (weight_a a_v - weight_b b_v)^2 of row a of one and row b of another.
double squared_difference(const SparseRows& a_rows, std::size_t a, double weight_a,
                          const SparseRows& b_rows, std::size_t b, double weight_b);

}  // namespace sextant
