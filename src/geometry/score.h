// SPDX-License-Identifier: Apache-2.0
// The stress of every candidate against the geometry of a corpus, with intervals.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "geometry/candidate.h"
#include "geometry/target.h"

namespace sextant {

using Interval = std::array<double, 2>;

// estimate +- 1.96 standard errors of the delete-a-block jackknife.
Interval jackknife_interval(double estimate, std::span<const double> without_each);

struct Difference {
  std::string to;  // encoding and rule of the best candidate
  double estimate = 0.0;
  std::optional<Interval> interval;
};

struct ScoreRow {
  const Candidate* candidate = nullptr;
  std::optional<double> stress_raw, stress_scaled, scale, stress_corrected, stress_null;
  std::optional<double> spearman, pearson, spearman_corrected, procrustes, negative_mass;
  std::optional<Interval> interval, interval_scaled, interval_raw;
  std::optional<Difference> difference;
  Index group = 0;  // rows of one group cannot be told from its first; 0: no corrected stress
};

struct Score {
  std::vector<ScoreRow> rows;  // corrected stress rising, then those without one
  // Scaled stresses against the corrected and the plain distances.
  std::optional<double> stationary_floor, stationary_floor_plain;
  std::optional<Interval> stationary_floor_interval;
  std::optional<Interval> mean_squared_interval;  // of the corrected distances
};

// Rows point into `candidates`.
Score score(const Target& target, const Candidates& candidates, Index threads);

}  // namespace sextant
