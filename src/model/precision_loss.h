// SPDX-License-Identifier: Apache-2.0
// What number formats do to the cosines of a rotary encoding, against exact ones: frequencies,
// positions or phases that are rounded before the cosine is taken.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sextant/double_double.h"
#include "sextant/matrix.h"

namespace sextant {

inline constexpr double kPrecisionLimits[] = {1e-3, 1e-2, 1e-1};

struct PrecisionCurve {
  std::string_view what = {};   // "inv_freq", "position" or "phase"
  std::string_view dtype = {};  // "bf16", "f16" or "f32"
  // The largest |cos error| of all pairs at the positions looked at so far; never falls. 2, the
  // largest that there is, where a position is beyond the largest number of the format.
  Vector worst = {};
  // Of kPrecisionLimits: the first position looked at whose error is above; nothing: none.
  std::optional<Index> first[3] = {};
};

struct PrecisionLoss {
  std::vector<Index> positions = {};  // where `worst` stands
  std::vector<PrecisionCurve> curves = {};
};

// For positions below `length`: all of them up to 512, then 16 in a row at each of about 24 places
// per doubling. The phase in f32 is the product of a frequency and a position that are f32 too.
// REQUIRES: length >= 1. Cost 5 cosines for each pair and position.
PrecisionLoss precision_loss(std::span<const DoubleDouble> inv_freq, Index length);

}  // namespace sextant
