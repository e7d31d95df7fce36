// SPDX-License-Identifier: Apache-2.0
// What trials of several encodings on one set of seeds say: spreads, and which differences are more
// than the luck of seeds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sextant/trial.h"
#include "training/statistics.h"

namespace sextant {

enum class TrialMetric { kLoss, kAccuracy };
std::string_view name(TrialMetric metric);

// A planned trial after its run. Without a result, `error` says why.
struct TrialOutcome {
  Trial trial = {};
  std::string folder = {};
  std::optional<TrialResult> result = {};
  std::string error = {};
};

// The metric at one length; nothing of a trial that failed, was not finite in training, or is not
// finite at this length. Its other lengths count.
std::optional<double> value_at(const TrialOutcome& outcome, Index length, TrialMetric metric);

struct EncodingSummary {
  std::string encoding = {};
  Index length = 0;
  Summary values = {};
};

// b against a: difference is that of their means over the seeds that both finished, a - b.
struct EncodingComparison {
  std::string a = {}, b = {};
  Index length = 0;
  PairedComparison test = {};
  std::optional<double> p_holm = {};  // p_t, corrected for all comparisons of this length
};

struct FindingsOptions {
  TrialMetric metric = TrialMetric::kLoss;
  std::string against = {};  // one of the encodings; empty: all pairs are compared
};

struct TrainingFindings {
  // By length, in it the best mean first; encodings without a value are left out.
  std::vector<EncodingSummary> summaries = {};
  // By length. With `against`, its comparisons alone, as b; else all pairs, the better one as b,
  // since a best one that was chosen after the fact was chosen among all pairs.
  std::vector<EncodingComparison> comparisons = {};
};
TrainingFindings findings(std::span<const TrialOutcome> outcomes, const FindingsOptions& options);

}  // namespace sextant
