// SPDX-License-Identifier: Apache-2.0
#include "model/comparison.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "base/rounding.h"
#include "math/double_double.h"
#include "math/elementary.h"

namespace sextant {
namespace {

// One pair under both operators: frequencies and the factors on cos.
struct PairedWaves {
  DoubleDouble w, other_w, m, other_m;
};

// A pair that an operator does not have passes through: it neither turns nor is scaled.
PairedWaves paired_waves(const RotaryOperator& first, const RotaryOperator& second, Index pair) {
  const auto i = static_cast<std::size_t>(pair);
  PairedWaves waves{0.0, 0.0, 1.0, 1.0};
  if (i < first.inv_freq.size()) {
    waves.w = first.inv_freq[i];
    waves.m = first.magnitude;
  }
  if (i < second.inv_freq.size()) {
    waves.other_w = second.inv_freq[i];
    waves.other_m = second.magnitude;
  }
  return waves;
}

Index pair_count(const RotaryOperator& first, const RotaryOperator& second) {
  return static_cast<Index>(std::max(first.inv_freq.size(), second.inv_freq.size()));
}

double relative_gap(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble larger = std::max(abs(a), abs(b));
  return larger == DoubleDouble(0.0) ? 0.0 : to_double(abs(a - b) / larger);
}

// |m cos(t w) - m' cos(t w')| against one threshold.
class CosineGap {
 public:
  CosineGap(const PairedWaves& waves, double threshold)
      : waves_(waves),
        threshold_(threshold),
        w_(to_double(waves.w)),
        other_w_(to_double(waves.other_w)),
        m_(to_double(waves.m)),
        other_m_(to_double(waves.other_m)),
        slope_(std::abs(m_ * w_) + std::abs(other_m_ * other_w_)) {}

  // No position before this one passes: |m cos a - m' cos b| <= |m-m'| + min(m,m') |cos a - cos b|,
  // and |cos a - cos b| <= min(|a-b|, |a^2-b^2|/2).
  double earliest() const {
    const double left = threshold_ - std::abs(to_double(waves_.m - waves_.other_m));
    if (left < 0.0) return 0.0;
    const double least = std::min(std::abs(m_), std::abs(other_m_));
    const double gap = std::abs(to_double(waves_.w - waves_.other_w));
    const double speed = least * gap;
    const double bend = least * gap * (w_ + other_w_) / 2.0;
    if (speed == 0.0) return std::numeric_limits<double>::infinity();
    constexpr double kRoundedDown = 1.0 - 1e-12;
    return kRoundedDown * std::max(left / speed, std::sqrt(left / bend));
  }

  // The first position in [from, to) that passes, or `to`. A step is as long as the slope allows.
  Index first(Index from, Index to) const {
    for (Index t = from; t < to;) {
      const auto at = static_cast<double>(t);
      const double rest =
          threshold_ - std::abs(m_ * std::cos(at * w_) - other_m_ * std::cos(at * other_w_));
      if (rest < kDoubtful && passes(t)) return t;
      const double step = std::max(rest - kDoubtful, 0.0) / slope_;
      t += step < static_cast<double>(to - t) ? std::max(Index{1}, static_cast<Index>(step))
                                              : to - t;
    }
    return to;
  }

 private:
  // Above the error of a double phase below kLongestHorizon, and of the C library's cosine.
  static constexpr double kDoubtful = 1e-7;

  bool passes(Index t) const {
    const auto at = static_cast<double>(t);
    return abs(waves_.m * cos_sin(at, waves_.w).cos -
               waves_.other_m * cos_sin(at, waves_.other_w).cos) > DoubleDouble(threshold_);
  }

  PairedWaves waves_;
  double threshold_, w_, other_w_, m_, other_m_, slope_;
};

FirstDeparture first_departure(const RotaryOperator& first, const RotaryOperator& second,
                               double threshold, Index horizon) {
  FirstDeparture found{.threshold = threshold};
  Index best = horizon;
  for (Index pair = 0; pair < pair_count(first, second); ++pair) {
    const CosineGap gap(paired_waves(first, second, pair), threshold);
    const double earliest = gap.earliest();
    if (earliest >= static_cast<double>(best)) continue;
    const Index position = gap.first(static_cast<Index>(earliest), best);
    if (position == best) continue;
    best = position;
    found.position = position;
    found.pair = pair;
  }
  return found;
}

void compare_frequencies(const RotaryOperator& first, const RotaryOperator& second,
                         OperatorComparison& result) {
  for (Index pair = 0; pair < result.pairs; ++pair) {
    const PairedWaves waves = paired_waves(first, second, pair);
    const double relative = relative_gap(waves.w, waves.other_w);
    if (relative <= kSameNumber) continue;
    result.differing.push_back(pair);
    if (relative > result.largest_relative) {
      result.largest_relative = relative;
      result.largest_pair = pair;
    }
    const double gap = std::abs(to_double(waves.w - waves.other_w));
    if (gap > result.phase_per_position) {
      result.phase_per_position = gap;
      result.phase_pair = pair;
    }
  }
}

}  // namespace

LogitDifference logit_difference(const RotaryOperator& first, const RotaryOperator& second,
                                 Index lag) {
  LogitDifference found{.lag = lag};
  const DoubleDouble own = first.softmax_factor * first.magnitude * first.magnitude;
  for (Index pair = 0; pair < pair_count(first, second); ++pair) {
    const PairedWaves waves = paired_waves(first, second, pair);
    const DoubleDouble ours = first.softmax_factor * waves.m * waves.m / own;
    const DoubleDouble theirs = second.softmax_factor * waves.other_m * waves.other_m / own;
    const DoubleDouble half = cos_sin(0.5 * static_cast<double>(lag), waves.other_w - waves.w).sin;
    // |a - b e^(ix)|^2 = (a-b)^2 + 4ab sin^2(x/2), which does not cancel.
    const DoubleDouble squared =
        (ours - theirs) * (ours - theirs) + 4.0 * (ours * theirs * half * half);
    const double relative = to_double(square_root(squared));
    if (relative > found.relative) {
      found.relative = relative;
      found.pair = pair;
    }
  }
  return found;
}

OperatorComparison compare_operators(const RotaryOperator& first, const RotaryOperator& second,
                                     Index horizon) {
  assert(horizon >= 1 && horizon <= kLongestHorizon);
  OperatorComparison result;
  result.pairs = pair_count(first, second);
  result.horizon = horizon;
  compare_frequencies(first, second, result);
  result.magnitude_ratio = to_double(second.magnitude / first.magnitude);
  result.softmax_factor_ratio = to_double(second.softmax_factor / first.softmax_factor);
  result.same_magnitude = relative_gap(first.magnitude, second.magnitude) <= kSameNumber;
  result.same_softmax_factor =
      relative_gap(first.softmax_factor, second.softmax_factor) <= kSameNumber;
  result.same_pairing = first.pairing == second.pairing;
  result.same_head_dim = first.head_dim == second.head_dim;
  result.same_rotary_dim = first.rotary_dim == second.rotary_dim;
  for (const double threshold : kCosineThresholds)
    result.departures.push_back(first_departure(first, second, threshold, horizon));
  constexpr Index kLagStep = 16;
  for (Index lag = 1; lag < horizon; lag *= kLagStep)
    result.logits.push_back(logit_difference(first, second, lag));
  if (horizon > 1 && result.logits.back().lag != horizon - 1)
    result.logits.push_back(logit_difference(first, second, horizon - 1));
  return result;
}

}  // namespace sextant
