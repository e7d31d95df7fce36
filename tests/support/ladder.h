// SPDX-License-Identifier: Apache-2.0
// The rotary ladder of a spec, as doubles.
#pragma once

#include <string>

#include "sextant/registry.h"
#include "sextant/table.h"

namespace sextant {

inline Vector inv_freq(const std::string& spec, Index dim) {
  Vector result;
  const auto ladder = rotary_ladder(encodings().make(spec)->effects({.dim = dim}));
  for (const DoubleDouble& w : ladder.value().inv_freq) result.push_back(w.high);
  return result;
}

inline double magnitude(const std::string& spec, Index dim) {
  return rotary_ladder(encodings().make(spec)->effects({.dim = dim}))->magnitude.high;
}

}  // namespace sextant
