// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// The kernel at the lags 0, 1, ..., or 0, -1, ... for sign -1.
template <typename Kernel>
Vector sampled(Index count, const Kernel& kernel, double sign = 1.0) {
  Vector k;
  for (Index lag = 0; lag < count; ++lag) k.push_back(kernel(sign * static_cast<double>(lag)));
  return k;
}

}  // namespace sextant
