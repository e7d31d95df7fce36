// SPDX-License-Identifier: Apache-2.0
// What may be said from a few runs: summaries, and paired tests of two encodings on one set of
// seeds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

// Quartiles are those of Hyndman and Fan's rule 7: the value at (n - 1) q of the sorted values from
// 0, linear between two of them.
struct Summary {
  Index count = 0;
  double mean = 0.0, median = 0.0, q1 = 0.0, q3 = 0.0;
  std::optional<double> sd = {};          // divisor n - 1; none of one value
  std::optional<double> half_width = {};  // of the 95 % interval of the mean, by Student's t
};
// REQUIRES: at least one value, all finite.
Summary summary(std::span<const double> values);

// Differences a - b of runs with one seed, tested against "as often up as down".
struct PairedComparison {
  Index pairs = 0;
  std::optional<double> difference = {};  // mean of a - b; none without pairs
  std::optional<double> p_t = {};         // paired t test, two-sided; none below two pairs
  std::optional<double> p_wilcoxon =
      {};  // signed-rank test, two-sided and exact; none without pairs
};
// REQUIRES: as many a as b, all finite.
PairedComparison paired_comparison(std::span<const double> a, std::span<const double> b);

// Of the seeds that both have.
using BySeed = std::map<std::uint64_t, double>;
PairedComparison paired_comparison(const BySeed& a, const BySeed& b);

// The signed-rank test of differences. Ties share the mean of their ranks; zeros take part in the
// ranking and leave the sum (Pratt). The null law is that of all signs of these very ranks, so that
// ties need no correction; its probabilities are exact to rounding. Cost O(n^3).
double wilcoxon_two_sided(std::span<const double> differences);

// Holm's step-down correction: at level p[i] the probability of any false alarm among all is at
// most p[i]. In the order of the input.
std::vector<double> holm(std::span<const double> p);

}  // namespace sextant
