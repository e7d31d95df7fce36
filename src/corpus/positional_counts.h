// SPDX-License-Identifier: Apache-2.0
// Sums of counts, and the check of the options that they belong to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sextant/corpus.h"

namespace sextant {

std::string_view name(LengthRule rule);  // "at-least", ...

// Throws kUsage for options that no counts can have.
void check_count_options(const CountOptions& options);

// Counts of nothing yet.
PositionalCounts empty_counts(const CountOptions& options);

// sum += more. Throws kRefused where the sum is above the largest number, 2^63 - 1. REQUIRES:
// neither is negative.
void add_amount(std::int64_t& sum, std::int64_t more);

// Adds the counts of other records: commutative and associative. REQUIRES: equal options and ids;
// cells flushed.
void merge(PositionalCounts& into, const PositionalCounts& other);
// The same without cells. Throws as add_amount().
void merge_totals(PositionalCounts& into, const PositionalCounts& other);

// N of every position, blocks added up. Throws as add_amount().
std::vector<std::int64_t> sequences_by_position(const PositionalCounts& counts);

// Different tokens in the cells: PositionalCounts::vocabulary.
Index counted_tokens(const PositionalCounts& counts);

}  // namespace sextant
