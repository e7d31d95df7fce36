// SPDX-License-Identifier: Apache-2.0
// How far the lag may go before numbers end.
#pragma once

#include <span>
#include <vector>

#include "sextant/classify.h"

namespace sextant {

// What |exp(lag X)| does as sign * lag grows.
Stability stability_of(std::span<const BlockFamily> families, double sign);

struct Horizons {
  Horizon overflow, vanishing;
};

// For X = norm * unit with these blocks. |exp(lag X)| is evaluated at doubling lags, as far as
// `noise` leaves it known, and extended from there by the fastest block.
Horizons horizons(const Matrix& unit, double norm, double noise,
                  std::span<const BlockFamily> families);

// Where the factors e^(at), e^(-as) of a logit overflow, each alone.
Horizon split_horizon(std::span<const BlockFamily> families);

}  // namespace sextant
