// SPDX-License-Identifier: Apache-2.0
// What Turns and Rotary hold.
#pragma once

#include <memory>
#include <vector>

#include "kernels/rotary_levels.h"
#include "kernels/rotary_rule.h"
#include "sextant/rotary.h"

namespace sextant {

enum class Side { kQuery, kKey };

// Pairs turn by the angle of their token, on both sides; the sides differ in the growth.
struct Turns::Values {
  std::shared_ptr<const RotaryRule> rule;
  Index tokens = 0;
  std::vector<float> query;   // [tokens, 2, slots]: cosines, then sines, times growth and magnitude
  std::vector<float> key;     // the same for keys; empty where it is equal
  std::vector<double> steps;  // [tokens, chains]: coupling times the token's place from the origin

  // The cosines of a token; its sines follow.
  const float* row(Side side, Index token) const {
    const std::vector<float>& values = side == Side::kKey && !key.empty() ? key : query;
    return values.data() + token * 2 * static_cast<Index>(rule->slots());
  }
};

struct TurnsAccess {
  using Values = Turns::Values;
  static const Values& values(const Turns& turns) { return *turns.values_; }
};

}  // namespace sextant
