// SPDX-License-Identifier: Apache-2.0
// Positions placed by stress majorisation, seen through a trained map.
#include "lab/fitted_map.h"

namespace sextant {

void register_smacof(LearnedRegistry& registry) { registry.add<FittedMap>("smacof", false); }

}  // namespace sextant
