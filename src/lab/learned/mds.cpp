// SPDX-License-Identifier: Apache-2.0
// Positions placed by classical multidimensional scaling, seen through a trained map.
#include "lab/fitted_map.h"

namespace sextant {

void register_mds(LearnedRegistry& registry) { registry.add<FittedMap>("mds", false); }

}  // namespace sextant
