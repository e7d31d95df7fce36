// SPDX-License-Identifier: Apache-2.0
// Sampled forms, grouped by their lag: is the logit a function of the lag, and of which?
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "math/eigen_map.h"
#include "sextant/classify.h"

namespace sextant {

// One sampled pair of positions. Noise of its form is relative to `scale`.
struct SampledPair {
  Index i = 0, j = 0;
  Position s = 0.0, t = 0.0;
  double scale = 1.0;
};

struct LagMean {
  Position lag = 0.0;
  EigenMatrix mean;
  double weight = 0.0;  // sum of 1 / scale^2 over the pairs: the mean's noise is its inverse root
  Index pairs = 0;
};

// Means weighted by 1 / scale^2, in lexicographic order of the lags.
struct LagMeans {
  std::vector<LagMean> lags;
  Index axes = 1;
  double tolerance = 0.0;  // lags that differ by less are one lag
  double residual = 0.0;   // root of sum |M - mean|^2 / scale^2 over sum |M|^2 / scale^2
  std::optional<MapTest::Pair> worst;  // none where no form is far from its mean
  bool repeated = false;               // some lag occurs twice
  bool compared = false;               // one other than 0 does

  // The lag, or null where it was not sampled.
  const LagMean* find(const Position& lag) const;

  // Lags with the same coordinate on every axis: a scalar position, by growing lag.
  std::vector<const LagMean*> scalar() const;
};

// Throws kRefused, with the estimate, where the means of forms [dim, dim] and their copies would
// take more than 2 GiB. `where` is for the message.
void check_room(std::span<const SampledPair> pairs, Index dim, std::string_view where);

// `form(n)` is the form of pairs[n], all of one shape. It is called twice for each pair, so that
// not all of them need to be held at once.
LagMeans lag_means(std::span<const SampledPair> pairs,
                   const std::function<EigenMatrix(std::size_t)>& form);

}  // namespace sextant
