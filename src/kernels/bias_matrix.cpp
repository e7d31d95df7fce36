// SPDX-License-Identifier: Apache-2.0
#include "kernels/bias_matrix.h"

#include <algorithm>
#include <vector>

#include "base/parallel.h"

namespace sextant {
namespace {

// b_h(s, t) at positions i and j; biases live on the first axis.
double bias_at(const LogitBias& bias, Index head, const Positions& positions, Index i, Index j) {
  return bias.at(head, positions[i][0], positions[j][0]);
}

// Row i of one head.
template <typename T>
void ask_for_row(const LogitBias& bias, Index head, const Positions& positions, Index i, T* row) {
  for (Index j = 0; j < positions.size(); ++j) {
    row[j] = static_cast<T>(bias_at(bias, head, positions, i, j));
  }
}

// Entry n-1 + j - i is the bias of query i and key j, for all pairs: row i starts at n-1 - i.
template <typename T>
std::vector<T> bias_by_lag(const LogitBias& bias, Index head, const Positions& positions) {
  const Index n = positions.size();
  std::vector<T> result(static_cast<std::size_t>(2 * n - 1));
  for (Index lag = n - 1; lag > 0; --lag) {
    result[static_cast<std::size_t>(n - 1 - lag)] =
        static_cast<T>(bias_at(bias, head, positions, lag, 0));
  }
  ask_for_row(bias, head, positions, 0, result.data() + (n - 1));
  return result;
}

template <typename T>
void fill(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
          std::span<T> out) {
  const Index n = positions.size();
  if (n == 0) return;
  const bool by_lag = bias.depends_on_lag_only && positions.consecutive();
  parallel_for(heads * n, threads, [&](Index begin, Index end) {
    std::vector<T> list;
    for (Index row = begin; row < end; ++row) {
      const Index head = row / n, i = row % n;
      T* const target = out.data() + row * n;
      if (!by_lag) {
        ask_for_row(bias, head, positions, i, target);
        continue;
      }
      if (i == 0 || row == begin) list = bias_by_lag<T>(bias, head, positions);
      std::copy_n(list.data() + (n - 1 - i), n, target);
    }
  });
}

}  // namespace

void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      std::span<float> out) {
  fill(bias, heads, positions, threads, out);
}

void fill_bias_matrix(const LogitBias& bias, Index heads, const Positions& positions, Index threads,
                      std::span<double> out) {
  fill(bias, heads, positions, threads, out);
}

void fill_bias_matrix_plain(const LogitBias& bias, Index heads, const Positions& positions,
                            std::span<double> out) {
  for (Index row = 0; row < heads * positions.size(); ++row) {
    const Index head = row / positions.size(), i = row % positions.size();
    ask_for_row(bias, head, positions, i, out.data() + row * positions.size());
  }
}

}  // namespace sextant
