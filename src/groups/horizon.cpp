// SPDX-License-Identifier: Apache-2.0
// All of it in logarithms of the norm and in lags times |X|.
#include "groups/horizon.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <tuple>

#include "groups/clusters.h"
#include "math/scaled_exponential.h"

namespace sextant {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLastDoubling =
    0x1p25;                            // doublings of the lag end here: half of the digits are left
constexpr Index kMostEvaluated = 512;  // wider, the basis counts as orthonormal
constexpr std::size_t kRefinements = 4;

constexpr double kLargest[] = {65504.0, 0x1.fep127, FLT_MAX, DBL_MAX};
constexpr double kSmallest[] = {0x1p-14, FLT_MIN, FLT_MIN, DBL_MIN};

template <typename LagOf>
Horizon per_format(const double (&limits)[4], LagOf lag_of) {
  return {lag_of(std::log(limits[0])), lag_of(std::log(limits[1])), lag_of(std::log(limits[2])),
          lag_of(std::log(limits[3]))};
}

// e^(rate lag) lag^power
struct Growth {
  double rate = 0.0;
  double power = 0.0;
};

Growth fastest(std::span<const BlockFamily> families, double norm) {
  const auto block = std::max_element(
      families.begin(), families.end(), [](const BlockFamily& a, const BlockFamily& b) {
        return std::tie(a.decay, a.size) < std::tie(b.decay, b.size);
      });
  return {block->decay / norm, static_cast<double>(block->size - 1)};
}

// log|exp(lag X)| at doubling lags, and beyond.
class NormCurve {
 public:
  NormCurve(const Matrix& unit, double farthest, Growth growth);

  // Where the curve rises above (sign 1) or finally falls below (sign -1) a level.
  double crossing(double level, double sign) const;

 private:
  struct Point {
    double lag = 1.0;
    double log_norm = 0.0;
    ScaledExponential value = {};
  };
  double between(std::size_t k, double level, double sign) const;
  double beyond(double level, double sign) const;

  Growth growth_;
  std::vector<Point> points_;
};

NormCurve::NormCurve(const Matrix& unit, double farthest, Growth growth) : growth_(growth) {
  if (unit.rows() > kMostEvaluated) {
    points_.push_back({1.0, growth.rate, {}});
    return;
  }
  ScaledExponential value = ScaledExponential::of(unit, 1.0);
  for (double lag = 1.0;; lag *= 2.0) {
    points_.push_back({lag, value.log_norm(), value});
    const double last = points_.back().log_norm;
    const bool decided =
        last > std::log(DBL_MAX) || (growth.rate < 0.0 && last < std::log(DBL_MIN));
    if (decided || 2.0 * lag > farthest) return;
    value.multiply(points_.back().value);
  }
}

double NormCurve::crossing(double level, double sign) const {
  const auto before = [&](const Point& p) { return sign * (p.log_norm - level) <= 0.0; };
  const auto after = sign > 0.0 ? std::find_if_not(points_.begin(), points_.end(), before)
                                : std::find_if(points_.rbegin(), points_.rend(), before).base();
  if (after == points_.end()) return beyond(level, sign);
  return after == points_.begin()
             ? after->lag
             : between(static_cast<std::size_t>(after - points_.begin()) - 1, level, sign);
}

// Between points k and k + 1: a few binary digits of the lag, then a straight line.
double NormCurve::between(std::size_t k, double level, double sign) const {
  double low = points_[k].lag, high = points_[k + 1].lag;
  double at_low = points_[k].log_norm, at_high = points_[k + 1].log_norm;
  ScaledExponential value = points_[k].value;
  for (std::size_t j = k; j > 0 && j + kRefinements > k; --j) {
    ScaledExponential next = value;
    next.multiply(points_[j - 1].value);
    const double log_norm = next.log_norm();
    if (sign * (log_norm - level) <= 0.0) {
      value = std::move(next);
      low += points_[j - 1].lag;
      at_low = log_norm;
    } else {
      high = low + points_[j - 1].lag;
      at_high = log_norm;
    }
  }
  return low + (high - low) * (level - at_low) / (at_high - at_low);
}

double NormCurve::beyond(double level, double sign) const {
  const Point& last = points_.back();
  const double rate = growth_.rate, power = growth_.power;
  const double missing = level - last.log_norm;
  if (rate == 0.0) return power > 0.0 ? last.lag * std::exp(missing / power) : kInfinity;
  if (sign * rate < 0.0) return kInfinity;
  const auto crossed = [&](double lag) {
    return sign * (rate * (lag - last.lag) + power * std::log(lag / last.lag) - missing) > 0.0;
  };
  double low = std::max(last.lag, rate < 0.0 ? power / -rate : 0.0), high = 2.0 * low;
  while (!crossed(high)) high *= 2.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (crossed(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

Stability stability_of(std::span<const BlockFamily> families, double sign) {
  double fastest_rate = -kInfinity;
  Index links = 1;
  for (const BlockFamily& family : families) {
    fastest_rate = std::max(fastest_rate, sign * family.decay);
    if (family.decay == 0.0) links = std::max(links, family.size);
  }
  if (fastest_rate > 0.0) return Stability::kGrowsExponentially;
  if (fastest_rate < 0.0) return Stability::kDecays;
  return links > 1 ? Stability::kGrowsPolynomially : Stability::kBounded;
}

Horizons horizons(const Matrix& unit, double norm, double noise,
                  std::span<const BlockFamily> families) {
  Index links = 1;
  for (const BlockFamily& family : families) links = std::max(links, family.size);
  const double known = std::pow(kNoiseFactor * noise, -1.0 / static_cast<double>(links));
  const NormCurve curve(unit, std::min(known, kLastDoubling), fastest(families, norm));
  Horizons result;
  result.overflow =
      per_format(kLargest, [&](double level) { return curve.crossing(level, 1.0) / norm; });
  if (stability_of(families, 1.0) == Stability::kDecays)
    result.vanishing =
        per_format(kSmallest, [&](double level) { return curve.crossing(level, -1.0) / norm; });
  return result;
}

Horizon split_horizon(std::span<const BlockFamily> families) {
  double rate = 0.0;
  for (const BlockFamily& family : families) rate = std::max(rate, std::abs(family.decay));
  return per_format(kLargest, [&](double level) { return level / rate; });
}

}  // namespace sextant
