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

double squared_difference(const SparseRows& a_rows, std::size_t a, double weight_a,
                          const SparseRows& b_rows, std::size_t b, double weight_b) {
  std::size_t i = a_rows.starts[a], j = b_rows.starts[b];
  double sum = 0.0;
  while (i < a_rows.starts[a + 1] || j < b_rows.starts[b + 1]) {
    const bool has_a = i < a_rows.starts[a + 1], has_b = j < b_rows.starts[b + 1];
    const bool take_a = has_a && (!has_b || a_rows.token[i] <= b_rows.token[j]);
    const bool take_b = has_b && (!has_a || b_rows.token[j] <= a_rows.token[i]);
    const double x = take_a ? a_rows.value[i++] * weight_a : 0.0;
    const double y = take_b ? b_rows.value[j++] * weight_b : 0.0;
    sum += (x - y) * (x - y);
  }
  return sum;
}

}  // namespace sextant
