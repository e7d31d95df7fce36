// SPDX-License-Identifier: Apache-2.0
#include "training/findings.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sextant {
namespace {

std::vector<Index> lengths_of(std::span<const TrialOutcome> outcomes) {
  return outcomes.empty() ? std::vector<Index>{} : outcomes.front().trial.test_lengths;
}

void correct(std::span<EncodingComparison> comparisons) {
  std::vector<double> p;
  for (const EncodingComparison& each : comparisons)
    if (each.test.p_t) p.push_back(*each.test.p_t);
  const std::vector<double> corrected = holm(p);
  std::size_t next = 0;
  for (EncodingComparison& each : comparisons)
    if (each.test.p_t) each.p_holm = corrected[next++];
}

// All of one length.
void add_length(TrainingFindings& result, std::span<const TrialOutcome> outcomes, Index length,
                const FindingsOptions& options) {
  std::map<std::string, BySeed> values;
  for (const TrialOutcome& outcome : outcomes) {
    if (const std::optional<double> value = value_at(outcome, length, options.metric))
      values[outcome.trial.encoding].emplace(outcome.trial.seed, *value);
  }
  const auto first = static_cast<std::ptrdiff_t>(result.summaries.size());
  for (const auto& [encoding, by_seed] : values) {
    std::vector<double> numbers;
    numbers.reserve(by_seed.size());
    for (const auto& [seed, value] : by_seed) numbers.push_back(value);
    result.summaries.push_back({encoding, length, summary(numbers)});
  }
  const double sign = options.metric == TrialMetric::kLoss ? 1.0 : -1.0;
  const std::span ranked(result.summaries.begin() + first, result.summaries.end());
  std::ranges::stable_sort(ranked, {},
                           [sign](const EncodingSummary& each) { return sign * each.values.mean; });

  const std::size_t before = result.comparisons.size();
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const std::string& b = ranked[i].encoding;
    if (!options.against.empty() && b != options.against) continue;
    for (std::size_t j = options.against.empty() ? i + 1 : 0; j < ranked.size(); ++j)
      if (const std::string& a = ranked[j].encoding; j != i)
        result.comparisons.push_back({.a = a,
                                      .b = b,
                                      .length = length,
                                      .test = paired_comparison(values.at(a), values.at(b))});
  }
  correct(std::span(result.comparisons).subspan(before));
}

}  // namespace

std::string_view name(TrialMetric metric) {
  return metric == TrialMetric::kLoss ? "loss" : "accuracy";
}

std::optional<double> value_at(const TrialOutcome& outcome, Index length, TrialMetric metric) {
  if (!outcome.result) return {};
  for (const Evaluation& each : outcome.result->evaluations) {
    if (each.length != length) continue;
    const std::optional<double> value = metric == TrialMetric::kLoss ? each.loss : each.accuracy;
    if (value && std::isfinite(*value)) return value;
  }
  return {};
}

TrainingFindings findings(std::span<const TrialOutcome> outcomes, const FindingsOptions& options) {
  TrainingFindings result;
  for (const Index length : lengths_of(outcomes)) add_length(result, outcomes, length, options);
  return result;
}

}  // namespace sextant
