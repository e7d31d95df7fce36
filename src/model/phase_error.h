// SPDX-License-Identifier: Apache-2.0
// From which position on a rotary encoding is wrong, when an engine rounds where it should not.
// All errors are |delta cos|, the largest over the pairs.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sextant/double_double.h"
#include "sextant/matrix.h"

namespace sextant {

// Errors of which the linter names the first position.
inline constexpr double kPhaseErrors[] = {1e-3, 1e-2, 0.1};

// The 16-bit types that engines cast to.
enum class ShortType { kHalf, kBfloat16 };
std::optional<ShortType> short_type(std::string_view dtype);  // "float16", "bfloat16"; else nothing
double rounded(double value, ShortType type);

std::vector<double> doubles(std::span<const DoubleDouble> values);
std::vector<double> rounded(std::span<const double> values, ShortType type);

// The first position in 1..most at which frequencies `used` in place of `meant` give an error above
// `error`; exact. Nothing: none. REQUIRES: sizes are equal, values finite and not negative.
std::optional<Index> first_departure(std::span<const double> meant, std::span<const double> used,
                                     double error, Index most);

// The same for an engine that forms frequencies and phases t * frequency in float32, as most do;
// exact where positions are (up to 2^24).
std::optional<Index> first_float_departure(std::span<const double> frequencies, double error,
                                           Index most);

// No phase formed in float32 is further off than this at positions up to t: an upper bound.
double float_phase_bound(std::span<const double> frequencies, Index t);

// How many different finite values the positions 0..count-1 have in the type.
Index distinct_positions(Index count, ShortType type);

// The largest n such that all of 0..n are exact: 256 or 2048.
Index exact_positions(ShortType type);

}  // namespace sextant
