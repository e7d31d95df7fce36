// SPDX-License-Identifier: Apache-2.0
// Arrays of n x n numbers are refused before they are allocated.
#pragma once

#include <string_view>

#include "base/check.h"
#include "base/memory.h"
#include "sextant/matrix.h"

namespace sextant {

// The bytes of rows x cols doubles; a floating number, since the product may pass 2^63.
inline double bytes_of(Index rows, Index cols) {
  return 8.0 * static_cast<double>(rows) * static_cast<double>(cols);
}

// Whether `bytes` more fit into four fifths of what is available.
inline bool fits_into_memory(double bytes) {
  const auto available = available_memory();
  return !available || bytes <= 0.8 * static_cast<double>(*available);
}

inline void refuse_beyond_memory(std::string_view where, double bytes) {
  // Reading the system's figures costs more than small problems do.
  constexpr double kSmall = 64e6;
  if (bytes <= kSmall || fits_into_memory(bytes)) return;
  const double have = 0.8 * static_cast<double>(available_memory().value_or(0));
  fail(ErrorCode::kRefused, where, "needs {:.1f} GB, but only {:.1f} GB may be used", bytes / 1e9,
       have / 1e9);
}

}  // namespace sextant
