// SPDX-License-Identifier: Apache-2.0
// How sure a number is that was computed from blocks of independent sequences.
#pragma once

#include <array>
#include <optional>
#include <span>

namespace sextant {

using Interval = std::array<double, 2>;

// 1.96 standard errors of the delete-a-block jackknife to both sides of the estimate and of the
// estimate without the bias that the jackknife finds (the same where there is none). `without_each`
// holds the number without each block in turn. Nothing for fewer than two blocks.
//
// A stress near 0 is biased upwards, since the noise that is left in the distances adds to it; an
// interval around it alone would miss the truth too often (tests/numeric/noise_test.cpp).
std::optional<Interval> jackknife_interval(double estimate, std::span<const double> without_each);

}  // namespace sextant
