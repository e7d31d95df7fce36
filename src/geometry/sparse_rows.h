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

}  // namespace sextant
