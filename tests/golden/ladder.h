// SPDX-License-Identifier: Apache-2.0
// The rotary ladder of a spec, as doubles.
#pragma once

#include <string>

#include "sextant/registry.h"
#include "sextant/table.h"

namespace sextant {

inline Vector inv_freq(const std::string& spec, Index dim) {
  Vector result;
  const auto effects = encodings().make(spec)->effects({.dim = dim});
  for (const DoubleDouble& w : rotary_ladder(effects)->inv_freq) result.push_back(w.high);
  return result;
}

inline double magnitude(const std::string& spec, Index dim) {
  return rotary_ladder(encodings().make(spec)->effects({.dim = dim}))->magnitude.high;
}

}  // namespace sextant
