// SPDX-License-Identifier: Apache-2.0
#include "theory/kernel_drift.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/eigen_map.h"
#include "math/memory_plan.h"

namespace sextant {
namespace {

// K(s, s - lag) at [s, lag], [positions, window]; off the diagonal times sqrt 2, for both sides.
EigenMatrix band(const HeadLogits& logits, Index window) {
  const Index n = logits.positions();
  refuse_beyond_memory("profile", bytes_of(n, window));
  EigenMatrix k = EigenMatrix::Zero(n, window);
  Vector diagonal(static_cast<std::size_t>(n));
  for (Index lag = 0; lag < window; ++lag) {
    const auto values = std::span(diagonal).first(static_cast<std::size_t>(n - lag));
    logits.diagonal(lag, values);
    k.col(lag).tail(n - lag) = (lag == 0 ? 1.0 : std::numbers::sqrt2) * as_eigen(values);
  }
  return k;
}

}  // namespace

Vector kernel_drift(const HeadLogits& logits, Index train) {
  const Index n = logits.positions(), window = std::min(train, kMostWindow);
  Vector drift(static_cast<std::size_t>(n), 0.0);
  if (logits.by_lag() || n <= window) return drift;
  const EigenMatrix k = band(logits, window);
  double own = 0.0;
  for (Index i = 0; i < window; ++i) own += k.row(i).head(i + 1).squaredNorm();
  for (Index first = 1; first + window <= n; ++first) {
    double sum = 0.0;
    for (Index i = 0; i < window; ++i)
      sum += (k.row(first + i).head(i + 1) - k.row(i).head(i + 1)).squaredNorm();
    drift[static_cast<std::size_t>(first + window - 1)] = sum == 0.0 ? 0.0 : std::sqrt(sum / own);
  }
  return drift;
}

}  // namespace sextant
