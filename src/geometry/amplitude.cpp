// SPDX-License-Identifier: Apache-2.0
#include "geometry/amplitude.h"

#include <cmath>

namespace sextant {
namespace {

constexpr double kSeriesFrom = 50.0;      // means above which the series below is good to 1e-7
constexpr std::int64_t kTabulated = 512;  // counts of one position that are looked up

// E sqrt(X) from the mean and the second to sixth central moments of X, by Taylor's expansion of
// the root around the mean.
double root_series(double mean, double m2, double m3, double m4, double m5, double m6) {
  const double r = 1.0 / mean;
  const double sum =
      1.0 +
      r * r *
          (-m2 / 8.0 + r * (m3 / 16.0 + r * (-5.0 * m4 / 128.0 +
                                             r * (7.0 * m5 / 256.0 - r * 21.0 * m6 / 1024.0))));
  return std::sqrt(mean) * sum;
}

}  // namespace

double mean_root_poisson(double lambda) {
  if (lambda <= 0.0) return 0.0;
  if (lambda > kSeriesFrom) {
    const double l = lambda;
    return root_series(l, l, l, l * (1.0 + 3.0 * l), l * (1.0 + 10.0 * l),
                       l * (1.0 + 25.0 * l + 15.0 * l * l));
  }
  double probability = std::exp(-lambda), sum = 0.0;
  const int last = static_cast<int>(lambda + 12.0 * std::sqrt(lambda) + 30.0);
  for (int k = 1; k <= last; ++k) {
    probability *= lambda / k;
    sum += probability * std::sqrt(static_cast<double>(k));
  }
  return sum;
}

double mean_root_binomial(std::int64_t count, double keep) {
  if (count <= 0) return 0.0;
  const auto n = static_cast<double>(count);
  if (keep >= 1.0) return std::sqrt(n);
  const double mean = n * keep, drop = 1.0 - keep, v = mean * drop;
  if (mean > kSeriesFrom) {
    // Central moments of the binomial law (Kenney and Keeping, Mathematics of Statistics).
    const double pq = keep * drop, skew = 1.0 - 2.0 * keep;
    const double m4 = v * (1.0 + 3.0 * pq * (n - 2.0));
    const double m5 = v * skew * (1.0 + pq * (10.0 * n - 12.0));
    const double m6 = v * (1.0 - 30.0 * pq + 120.0 * pq * pq + n * pq * (25.0 - 130.0 * pq) +
                           15.0 * n * n * pq * pq);
    return root_series(mean, v, v * skew, m4, m5, m6);
  }
  // In logarithms, since P(X = 0) may underflow.
  double log_probability = n * std::log1p(-keep), sum = 0.0;
  const double ratio = keep / drop;
  const auto last = static_cast<std::int64_t>(mean + 12.0 * std::sqrt(mean) + 30.0);
  for (std::int64_t k = 1; k <= count && k <= last; ++k) {
    log_probability +=
        std::log(ratio * static_cast<double>(count - k + 1) / static_cast<double>(k));
    sum += std::exp(log_probability) * std::sqrt(static_cast<double>(k));
  }
  return sum;
}

ThinnedRoot::ThinnedRoot(double keep) : keep_(keep) {
  if (keep >= 1.0) return;
  for (std::int64_t count = 0; count < kTabulated; ++count)
    small_.push_back(mean_root_binomial(count, keep));
}

double ThinnedRoot::operator()(std::int64_t count) const {
  if (small_.empty()) return std::sqrt(static_cast<double>(count));
  if (count < kTabulated) return small_[static_cast<std::size_t>(count)];
  return mean_root_binomial(count, keep_);
}

}  // namespace sextant
