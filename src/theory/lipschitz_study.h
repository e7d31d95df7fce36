// SPDX-License-Identifier: Apache-2.0
// How far a layer of a random transformer is from having one Lipschitz constant.
#pragma once

#include <vector>

#include "sextant/theorem.h"

namespace sextant {

struct LipschitzStudy {
  std::vector<Finding> findings;
  std::vector<Figure> figures;
};
LipschitzStudy lipschitz_study(const TheoremOptions& options);

}  // namespace sextant
