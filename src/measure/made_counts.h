// SPDX-License-Identifier: Apache-2.0
// Counts of contexts of any length, without a text behind them.
#pragma once

#include "corpus/counts_file.h"

namespace sextant {

// A whole corpus whose laws drift over the positions: Zipf's law, each token swinging at one of ten
// speeds; a rare token stands at few positions. About 50 ln(types) entries a position.
CountsFile made_drifting_counts(Index positions, Index types, std::uint64_t seed = 1);

}  // namespace sextant
