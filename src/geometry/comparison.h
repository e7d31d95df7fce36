// SPDX-License-Identifier: Apache-2.0
// Two corpora: do their positions stand to each other in the same way?
#pragma once

#include <optional>

#include "geometry/target.h"

namespace sextant {

struct Comparison {
  double stress = 0.0;  // scaled, between the distances of the two
  double spearman = 0.0;
  bool corrected = false;       // corrected distances were compared, else plain ones
  std::optional<double> noise;  // the larger reliability ceiling: stress that noise alone explains
};
// Over the positions that both have. Throws kUsage when these are fewer than three.
Comparison compare(const Target& a, const Target& b);

}  // namespace sextant
