// SPDX-License-Identifier: Apache-2.0
#include "geometry/jackknife.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sextant {

std::optional<Interval> jackknife_interval(double estimate, std::span<const double> without_each) {
  constexpr double kNormalQuantile = 1.96;  // two-sided 95 %
  if (without_each.size() < 2) return {};
  const auto g = static_cast<double>(without_each.size());
  const double mean = std::accumulate(without_each.begin(), without_each.end(), 0.0) / g;
  double sum = 0.0;
  for (const double value : without_each) sum += (value - mean) * (value - mean);
  const double error = std::sqrt(sum * (g - 1.0) / g);
  const double unbiased = g * estimate - (g - 1.0) * mean;
  return Interval{std::min(estimate, unbiased) - kNormalQuantile * error,
                  std::max(estimate, unbiased) + kNormalQuantile * error};
}

}  // namespace sextant
