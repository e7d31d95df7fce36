// SPDX-License-Identifier: Apache-2.0
// Two rotary operators held against each other: where their angles part, and by how much the
// logits of one checkpoint change when the other operator takes the place of the first.
//
// Pair i is compared with pair i, whatever its coordinates: with another pairing the numbers hold
// for a checkpoint whose rows were permuted (conversion.h), without that everything differs.
#pragma once

#include <optional>
#include <vector>

#include "sextant/model.h"

namespace sextant {

// Frequencies and magnitudes closer than this, relatively, are one number: rules are evaluated to
// 2^-100, and a value that was stored in single precision is off by 2^-25.
inline constexpr double kSameNumber = 0x1p-90;

// Positions looked at; beyond it double phases no longer decide.
inline constexpr Index kLongestHorizon = Index{1} << 24;

inline constexpr double kCosineThresholds[] = {1e-3, 1e-2, 0.1};

// The first position t with |m cos(t w) - m' cos(t w')| above a threshold, in any pair.
struct FirstDeparture {
  double threshold = 0.0;
  std::optional<Index> position = {};  // none: not before the horizon
  Index pair = 0;                      // where; the one of the lowest index if several
};

// The largest |logit' - logit| over all q, k of length 1, by the largest |logit| of the first
// operator: max over pairs of |1 - r e^(i lag (w'-w))|, r the ratio of softmax factors and squared
// magnitudes. Attained by q and k in one plane.
struct LogitDifference {
  Index lag = 0;
  double relative = 0.0;
  Index pair = 0;
};

struct OperatorComparison {
  Index pairs = 0;  // of the longer ladder; what the other lacks does not turn
  std::vector<Index> differing = {};
  double largest_relative = 0.0;  // |w' - w| / max(w, w'), largest
  Index largest_pair = 0;
  double phase_per_position = 0.0;  // largest |w' - w|
  Index phase_pair = 0;
  double magnitude_ratio = 1.0;       // second by first
  double softmax_factor_ratio = 1.0;  // the same
  bool same_magnitude = true, same_softmax_factor = true;
  bool same_pairing = true, same_head_dim = true, same_rotary_dim = true;
  Index horizon = 0;
  std::vector<FirstDeparture> departures = {};  // one per threshold
  std::vector<LogitDifference> logits = {};  // lags 1, 16, 256, ... below the horizon, and its end

  bool equal() const {
    return differing.empty() && same_magnitude && same_softmax_factor && same_pairing &&
           same_head_dim && same_rotary_dim;
  }
};

// Positions 0 to horizon - 1. Exact: every position that could pass a threshold is looked at, and
// close decisions are made in double-double. REQUIRES: 1 <= horizon <= kLongestHorizon.
OperatorComparison compare_operators(const RotaryOperator& first, const RotaryOperator& second,
                                     Index horizon);

// The logits' part at one lag.
LogitDifference logit_difference(const RotaryOperator& first, const RotaryOperator& second,
                                 Index lag);

}  // namespace sextant
