// SPDX-License-Identifier: Apache-2.0
// Square roots of counts, and what sampling does to them.
//
// A Hellinger distance compares square roots of relative frequencies. E sqrt(count) depends on the
// number of samples, so positions with unequal numbers look different even when their laws are
// equal. The cure is to thin every position to a common number. Instead of one random draw we take
// the mean over all draws, which is a function of the count alone and adds no noise.
#pragma once

#include <cstdint>
#include <vector>

namespace sextant {

// E sqrt(X) for X ~ Poisson(lambda), relative error below 1e-7. REQUIRES: lambda >= 0.
double mean_root_poisson(double lambda);

// E sqrt(X) for X ~ Binomial(count, keep), relative error below 1e-7. REQUIRES: 0 < keep <= 1.
double mean_root_binomial(std::int64_t count, double keep);

// mean_root_binomial(., keep) with the small counts tabulated.
class ThinnedRoot {
 public:
  explicit ThinnedRoot(double keep);
  double operator()(std::int64_t count) const;
  double keep() const { return keep_; }

 private:
  double keep_;
  std::vector<double> small_;  // empty where nothing is thinned
};

}  // namespace sextant
