// SPDX-License-Identifier: Apache-2.0
// What the laws of tokens at positions are apart, of texts in memory.
#pragma once

#include "sextant/geometry.h"
#include "sextant/task.h"

namespace sextant {

// Squared Hellinger distances between the first n positions, of the texts that have as many tokens:
// the windows of mlm. Sampling noise is not taken off. Throws kMalformed where no text is as long.
DistanceMatrix squared_position_distances(const TokenCorpus& corpus, Index n);

}  // namespace sextant
