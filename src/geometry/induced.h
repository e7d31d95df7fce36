// SPDX-License-Identifier: Apache-2.0
// How an encoding becomes distances between positions. Papers differ, so every number names its
// rule.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sextant/encoding.h"
#include "sextant/geometry.h"

namespace sextant {

enum class Rule {
  kRows,      // Euclidean distance of the rows of an input table
  kKernel,    // d^2 = K(s,s) + K(t,t) - 2 K(s,t), K = mean logit of one random unit vector q = k
  kLine,      // d = b(s,s) - b(s,t): a bias read as a distance
  kBrownian,  // d^2 = b(s,s) - b(s,t)
};
std::string_view name(Rule rule);

// The rules that fit: rows for an input table alone, line and brownian for a bias alone, kernel for
// all else; none for an encoding that does nothing.
std::vector<Rule> rules_for(const Effects& effects);

struct Induced {
  Rule rule = Rule::kRows;
  std::unique_ptr<Distances> distances;
  Vector by_lag;              // where only the lag matters: d(0), d(1), ...
  double negative_share = 0;  // of the pairs whose d (line) or d^2 is negative and was set to 0
};
// Over the given positions, rising; several heads: their mean. The pair (s, t) has s > t, as under
// a causal mask. Throws kNumeric for a value that is not finite.
Induced induced_distances(const Effects& effects, const Extent& extent, Rule rule,
                          std::span<const Index> positions);

// K (rows, kernel) or b (line, brownian) of the last position against lags 0, 1, ..., n-1.
Vector kernel_by_lag(const Effects& effects, const Extent& extent, Rule rule, Index n);

}  // namespace sextant
