// SPDX-License-Identifier: Apache-2.0
// Ho and Kalman's construction: C, X, B with A(lag) = C exp(lag X) B from the block Hankel matrix
// of A(i + j). Its rank is the order of the least such X.
#pragma once

#include <optional>
#include <string>

#include "groups/lag_means.h"

namespace sextant {

struct RealisationSearch {
  std::optional<Realisation> found;
  Index rank = 0;          // of the Hankel matrix, at the noise
  std::string reason;      // what was found, or why there is none
  bool one_sided = false;  // it holds for lags >= 0 and fails for lags < 0
};

// Uses lags 0, step, 2 step, ... for the fit and every scalar lag for the residual.
RealisationSearch realise(const LagMeans& means, double step, const ClassifyOptions& options);

}  // namespace sextant
