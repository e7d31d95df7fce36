// SPDX-License-Identifier: Apache-2.0
#include "training/trial_study.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/text.h"
#include "io/atomic_file.h"
#include "io/npy.h"
#include "training/trial_plan.h"

namespace sextant {

bool finished(const StudyOutcome& outcome) {
  const std::optional<TrialResult>& result = outcome.outcome.result;
  return result && result->end == TrialEnd::kFinished;
}

double StudyNumber::mean() const {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

BySeed StudyNumber::by_seed() const {
  BySeed result;
  for (std::size_t i = 0; i < values.size(); ++i) result.emplace(seeds[i], values[i]);
  return result;
}

void add_arm(std::vector<StudyTrial>& plan, const std::string& arm, const Trial& common,
             const std::string& encoding, const StudySetup& setup) {
  Trial first = common;
  first.seed = setup.seed;
  validate(first);
  const std::vector<std::string> specs = trial_encodings(std::vector{encoding}, first);
  for (PlannedTrial& each : trial_plan(first, specs, setup.seeds))
    plan.push_back({.arm = arm, .trial = std::move(each.trial)});
  // All arms of one seed before the next: a run that is cut short leaves whole pairs.
  std::ranges::stable_sort(plan, {}, [](const StudyTrial& each) { return each.trial.seed; });
}

std::string encoding_of_rows(std::string_view encoding, const Matrix& rows, std::string_view file,
                             const StudySetup& setup) {
  const std::filesystem::path path = setup.arrays / file;
  AtomicFile out(path, AtomicFile::Existing::kReplace);
  const Index shape[] = {rows.rows(), rows.cols()};
  out.write(npy_header("<f8", shape));
  out.write(std::as_bytes(rows.values()));
  out.commit();
  const EncodingSpec::Argument argument{.key = "file", .value = path.string()};
  return EncodingSpec{.terms = {{.name = std::string(encoding), .arguments = {argument}}}}.text();
}

StudyNumber measured(std::span<const StudyOutcome> outcomes, std::string_view arm,
                     std::string_view quantity, const StudyMeasure& measure) {
  StudyNumber number{.arm = std::string(arm), .quantity = std::string(quantity)};
  for (const StudyOutcome& each : outcomes) {
    if (each.arm != arm || !finished(each)) continue;
    if (const std::optional<double> value = measure(each)) {
      number.values.push_back(*value);
      number.seeds.push_back(each.outcome.trial.seed);
    }
  }
  return number;
}

StudyMeasure tested(TrialMetric metric) {
  return [metric](const StudyOutcome& each) {
    return value_at(each.outcome, each.outcome.trial.test_lengths.front(), metric);
  };
}

const StudyRegistry::Entry& StudyRegistry::find(std::string_view name) const {
  const auto found =
      std::ranges::find(entries_, name, [](const Entry& entry) { return entry.info->name; });
  if (found != entries_.end()) return *found;
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const Entry& entry : entries_) names.emplace_back(entry.info->name);
  fail(ErrorCode::kUsage, escaped(name), "there is no such study{}; --list names them",
       suggestion(name, names));
}

#define X(name) void register_##name(StudyRegistry&);
#include "catalogue_studies.inc"
#undef X

const StudyRegistry& studies() {
  static const StudyRegistry registry = [] {
    StudyRegistry r;
#define X(name) register_##name(r);
#include "catalogue_studies.inc"
#undef X
    return r;
  }();
  return registry;
}

}  // namespace sextant
