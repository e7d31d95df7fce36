// SPDX-License-Identifier: Apache-2.0
#include "geometry/sparse_rows.h"

#include <numeric>

namespace sextant {

SparseRows by_rows(const SparseColumns& columns) {
  SparseRows rows;
  rows.starts.assign(static_cast<std::size_t>(columns.rows) + 1, 0);
  for (const std::uint32_t i : columns.row) ++rows.starts[i + 1];
  std::partial_sum(rows.starts.begin(), rows.starts.end(), rows.starts.begin());
  rows.token.resize(columns.row.size());
  rows.value.resize(columns.row.size());
  std::vector<std::size_t> next(rows.starts.begin(), rows.starts.end() - 1);
  for (Index v = 0; v < columns.columns(); ++v) {
    for (std::size_t e = columns.starts[static_cast<std::size_t>(v)];
         e < columns.starts[static_cast<std::size_t>(v) + 1]; ++e) {
      const std::size_t to = next[columns.row[e]]++;
      rows.token[to] = static_cast<std::uint32_t>(v);
      rows.value[to] = columns.value[e];
    }
  }
  return rows;
}

}  // namespace sextant
