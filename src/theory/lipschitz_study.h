// SPDX-License-Identifier: Apache-2.0
// Local Lipschitz constants of one layer against the norm of its tokens and their number: the part
// of the Rademacher bound (T5) that takes every layer for Lipschitz.
#pragma once

#include <vector>

#include "sextant/theorem.h"

namespace sextant {

struct LipschitzStudy {
  std::vector<Finding> findings;
  std::vector<Figure> figures;
};

// A single head without LayerNorm, as the source has it, and several heads with LayerNorm, which it
// leaves open; for options.encodings, or for one encoding per site.
LipschitzStudy lipschitz_study(const TheoremOptions& options);

}  // namespace sextant
