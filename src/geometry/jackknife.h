// SPDX-License-Identifier: Apache-2.0
// How sure a number is that was computed from blocks of independent sequences.
#pragma once

#include <array>
#include <optional>
#include <span>

namespace sextant {

using Interval = std::array<double, 2>;

// estimate +- 1.96 standard errors of the delete-a-block jackknife; `without_each` holds the same
// number without each block in turn. Nothing for fewer than two blocks.
std::optional<Interval> jackknife_interval(double estimate, std::span<const double> without_each);

}  // namespace sextant
