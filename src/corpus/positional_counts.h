// SPDX-License-Identifier: Apache-2.0
// Sums of counts, and the check of the options that they belong to.
#pragma once

#include <string_view>

#include "sextant/corpus.h"

namespace sextant {

std::string_view name(LengthRule rule);  // "at-least", ...

// Throws kUsage for options that no counts can have.
void check_count_options(const CountOptions& options);

// Counts of nothing yet.
PositionalCounts empty_counts(const CountOptions& options);

// Adds the counts of other records: commutative and associative. REQUIRES: equal options and ids;
// cells flushed.
void merge(PositionalCounts& into, const PositionalCounts& other);

}  // namespace sextant
