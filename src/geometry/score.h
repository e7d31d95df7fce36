// SPDX-License-Identifier: Apache-2.0
// The stress of every candidate against the geometry of a corpus, with intervals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geometry/candidate.h"
#include "geometry/jackknife.h"
#include "geometry/target.h"

namespace sextant {

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
  Index group = 0;  // rows of one group cannot be told from its first; 0: nothing can be said
};

struct Score {
  std::vector<ScoreRow> rows;  // corrected stress rising, then those without one
};

// Rows point into `candidates`. The same bits for any number of threads and ranks.
Score score(const Target& target, const Candidates& candidates, Index threads,
            Communicator& ranks = alone());

}  // namespace sextant
