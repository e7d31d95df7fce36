// SPDX-License-Identifier: Apache-2.0
// Gram matrices of sparse rows: tokens that stand at many positions go through BLAS, the long tail
// of rare tokens is added entry by entry in double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

// A matrix [rows, columns] by columns: column v holds the entries starts[v] .. starts[v+1].
struct SparseColumns {
  Index rows = 0;
  std::vector<std::size_t> starts = {0};
  std::vector<std::uint32_t> row;  // rising inside a column
  std::vector<double> value;

  Index columns() const { return static_cast<Index>(starts.size()) - 1; }
};

// S S^T, [rows, rows]; symmetric to the bit. Throws kRefused when it does not fit into memory.
Matrix gram(const SparseColumns& s, Index threads = 1);

// A B^T, [rows, rows]. REQUIRES: the same rows and columns.
Matrix cross_gram(const SparseColumns& a, const SparseColumns& b, Index threads = 1);

// The plain versions, one entry at a time.
Matrix plain_cross_gram(const SparseColumns& a, const SparseColumns& b);

}  // namespace sextant
