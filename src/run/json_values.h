// SPDX-License-Identifier: Apache-2.0
// Small pieces of JSON that documents are made of.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "geometry/score.h"
#include "io/json.h"

namespace sextant {

inline Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
inline Json or_null(const std::optional<Index>& value) { return value ? Json(*value) : Json(); }
inline Json or_null(const std::optional<Interval>& value) { return value ? Json(*value) : Json(); }

// Five digits: enough for a picture.
double rounded(double value);
Json rounded(std::span<const double> values);

// 0..n-1 in at most `most` groups of neighbours whose means are shown: the first of each, then n.
// REQUIRES: n >= 1.
std::vector<Index> bin_starts(Index n, Index most);

}  // namespace sextant
