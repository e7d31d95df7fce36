// SPDX-License-Identifier: Apache-2.0
#include "training/reproduction.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "sextant/task.h"
#include "training/trial_plan.h"

namespace sextant {
namespace {

constexpr double kRounding = 1e-9;  // relative, of our own arithmetic and of decimal fractions
constexpr double kDeviations = 2.0;

double slack(const PublishedCell& cell, const Reading& reading) {
  return std::max(cell.half_digit, kDeviations * reading.sd.value_or(0.0)) +
         kRounding * std::abs(*cell.published);
}

bool agrees(const PublishedCell& cell, const Reading& reading) {
  if (!reading.ours || !cell.published) return false;
  const double ours = *reading.ours, published = *cell.published;
  switch (cell.relation) {
    case Relation::kEquals:
      return std::abs(ours - published) <= slack(cell, reading);
    case Relation::kAtMost:
      return ours <= published + slack(cell, reading);
    case Relation::kAtLeast:
      return ours >= published - slack(cell, reading);
    case Relation::kBelow:
      return ours < published;
  }
  return false;
}

// Specs as trials take them.
Trial canonical(Trial trial) {
  trial.encoding = trial_encodings(std::span(&trial.encoding, 1), trial).front();
  trial.task = tasks().make(trial.task)->spec();
  return trial;
}

std::vector<Trial> trials_of_reading(const Reading& reading) {
  if (!reading.trained) return {};
  std::vector<Trial> result = {canonical(reading.trained->trial)};
  if (reading.trained->against) result.push_back(canonical(*reading.trained->against));
  return result;
}

std::string_view first_fault(const TrialOutcome& outcome) {
  if (!outcome.error.empty()) return outcome.error;
  if (outcome.result && outcome.result->end == TrialEnd::kNotFinite) return outcome.result->fault;
  return "not run";
}

// The metric by seed; what has none is named in `fault`.
std::map<std::uint64_t, double> values_of(const Trial& trial, const TrainedValue& asked,
                                          std::span<const TrialOutcome> outcomes,
                                          std::string& fault) {
  const std::string key = trial_key(trial, {.seed = false});
  std::map<std::uint64_t, double> result;
  for (const TrialOutcome& outcome : outcomes) {
    if (trial_key(outcome.trial, {.seed = false}) != key) continue;
    const std::optional<double> value = value_at(outcome, asked.length, asked.metric);
    if (value) {
      result[outcome.trial.seed] = *value;
    } else if (fault.empty()) {
      fault = fmt::format("{} seed {}: {}", outcome.trial.encoding, outcome.trial.seed,
                          first_fault(outcome));
    }
  }
  return result;
}

double baseline_of(const Trial& trial, const TrainedValue& asked) {
  if (asked.baseline.empty()) return 0.0;
  const bool accuracy = asked.metric == TrialMetric::kAccuracy;
  for (const Baseline& each : tasks().make(trial.task)->baselines(asked.length))
    if (each.name == asked.baseline && each.of_accuracy == accuracy) return each.value;
  fail(ErrorCode::kInternal, trial.task, "has no baseline '{}'", asked.baseline);
}

void fill_trained(Reading& reading, std::span<const TrialOutcome> outcomes) {
  const TrainedValue& asked = *reading.trained;
  const Trial trial = canonical(asked.trial);
  const std::map<std::uint64_t, double> values = values_of(trial, asked, outcomes, reading.fault);
  std::map<std::uint64_t, double> others;
  if (asked.against) others = values_of(canonical(*asked.against), asked, outcomes, reading.fault);
  const double baseline = baseline_of(trial, asked);
  std::vector<double> differences;
  differences.reserve(values.size());
  for (const auto& [seed, value] : values) {
    if (!asked.against) {
      differences.push_back(value - baseline);
    } else if (const auto other = others.find(seed); other != others.end()) {
      differences.push_back(value - other->second);
    }
  }
  reading.seeds = static_cast<Index>(differences.size());
  if (differences.empty()) return;
  const Summary found = summary(differences);
  reading.ours = found.mean;
  reading.sd = found.sd;
}

// What is not part of a quick run leaves the cell.
void leave_out(PublishedCell& cell, std::vector<std::string>& left_out) {
  const bool whole =
      std::ranges::none_of(cell.readings, [](const Reading& each) { return each.quick; });
  if (whole) left_out.push_back(cell.cell);
  for (const Reading& reading : cell.readings)
    if (!whole && !reading.quick)
      left_out.push_back(fmt::format("{}, if {}", cell.cell, reading.condition));
  std::erase_if(cell.readings, [](const Reading& each) { return !each.quick; });
}

}  // namespace

PrintedNumber printed(std::string_view text) {
  const std::optional<double> value = parse_number(text);
  assert(value);
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return {*value, 0.0};
  const std::size_t exponent = std::min(text.find('e'), text.size());
  const double digits = static_cast<double>(exponent - point - 1);
  double power = 0.0;
  if (exponent < text.size()) power = parse_number(text.substr(exponent + 1)).value_or(0.0);
  return {*value, 0.5 * std::pow(10.0, power - digits)};
}

std::string_view name(Relation relation) {
  switch (relation) {
    case Relation::kEquals:
      return "=";
    case Relation::kAtMost:
      return "<=";
    case Relation::kAtLeast:
      return ">=";
    case Relation::kBelow:
      return "<";
  }
  return "";
}

PublishedCell computed_cell(std::string cell, std::string place, std::string_view published,
                            std::string setup, Relation relation) {
  const PrintedNumber number = printed(published);
  return {.cell = std::move(cell),
          .place = std::move(place),
          .published = number.value,
          .half_digit = number.half_digit,
          .relation = relation,
          .setup = std::move(setup),
          .readings = {{}}};
}

const Reading* decisive(const PublishedCell& cell) {
  const Reading* first = nullptr;
  for (const Reading& reading : cell.readings) {
    if (agrees(cell, reading)) return &reading;
    if (first == nullptr && reading.ours) first = &reading;
  }
  return first;
}

std::string verdict(const PublishedCell& cell) {
  if (!cell.not_run.empty()) return "not run: " + cell.not_run;
  if (!cell.published) return "set-up not stated";
  const Reading* reading = decisive(cell);
  if (reading == nullptr) {
    for (const Reading& each : cell.readings)
      if (!each.fault.empty()) return "not run: " + each.fault;
    return "not run: nothing was computed";
  }
  if (!agrees(cell, *reading)) return cell.stated ? "not reproduced" : "set-up not stated";
  if (reading->condition.empty()) return "reproduced";
  return "reproduced only if " + reading->condition;
}

std::vector<std::string> ReproductionRegistry::names() const {
  std::vector<std::string> result;
  result.reserve(entries_.size());
  for (const Entry& entry : entries_) result.emplace_back(entry.info.name);
  return result;
}

const ReproductionRegistry::Entry& ReproductionRegistry::find(std::string_view name) const {
  for (const Entry& entry : entries_)
    if (entry.info.name == name) return entry;
  const std::vector<std::string> known = names();
  fail(ErrorCode::kUsage, "reproduce", "no table '{}'{}; there are {}", escaped(name),
       suggestion(name, known), fmt::join(known, ", "));
}

#define X(name) void register_##name(ReproductionRegistry&);
#include "catalogue_reproductions.inc"
#undef X

const ReproductionRegistry& reproductions() {
  static const ReproductionRegistry registry = [] {
    ReproductionRegistry result;
#define X(name) register_##name(result);
#include "catalogue_reproductions.inc"
#undef X
    return result;
  }();
  return registry;
}

bool needs_lab(const PublishedCell& cell) {
  return std::ranges::any_of(cell.readings,
                             [](const Reading& each) { return each.trained.has_value(); });
}

std::vector<std::string> corpora_of(const ReproductionRegistry::Entry& entry) {
  std::vector<std::string> result;
  for (const PublishedCell& cell : entry.cells())
    if (!cell.corpus.empty() && std::ranges::find(result, cell.corpus) == result.end())
      result.push_back(cell.corpus);
  return result;
}

Reproduction planned(const ReproductionRegistry::Entry& entry, const ReproductionContext& context,
                     bool lab) {
  Reproduction table{.entry = &entry, .cells = entry.cells()};
  for (PublishedCell& cell : table.cells) {
    if (context.quick) leave_out(cell, table.left_out);
    if (cell.readings.empty()) {
      cell.not_run = "left out by --quick";
    } else if (!cell.corpus.empty() && !context.corpora.contains(cell.corpus)) {
      cell.not_run = fmt::format("needs data: --corpus {}=FILE", cell.corpus);
    } else if (needs_lab(cell) && !lab) {
      cell.not_run = "needs the lab: sextant-lab is not there";
    }
  }
  return table;
}

std::vector<TrialOutcome> trials_of(std::span<const Reproduction> tables,
                                    const ReproductionContext& context, Index seeds) {
  std::vector<Trial> trials;
  std::set<std::string> known;
  for (const Reproduction& table : tables) {
    for (const PublishedCell& cell : table.cells) {
      if (!cell.not_run.empty()) continue;
      for (const Reading& reading : cell.readings)
        for (Trial& trial : trials_of_reading(reading))
          if (known.insert(trial_key(trial, {.seed = false})).second)
            trials.push_back(std::move(trial));
    }
  }
  std::vector<TrialOutcome> result;
  result.reserve(trials.size() * static_cast<std::size_t>(seeds));
  for (Index i = 0; i < seeds; ++i) {
    for (Trial trial : trials) {
      trial.seed = context.seed + static_cast<std::uint64_t>(i);
      std::string folder = trial_folder(trial);
      result.push_back({.trial = std::move(trial), .folder = std::move(folder)});
    }
  }
  return result;
}

void finish(Reproduction& table, std::span<const TrialOutcome> outcomes,
            const ReproductionContext& context) {
  const bool any = std::ranges::any_of(table.cells, [](const PublishedCell& cell) {
    return cell.not_run.empty() && !needs_lab(cell);
  });
  if (table.entry->compute != nullptr && any) table.entry->compute(table.cells, context);
  for (PublishedCell& cell : table.cells) {
    if (!cell.not_run.empty()) continue;
    for (Reading& reading : cell.readings)
      if (reading.trained) fill_trained(reading, outcomes);
  }
}

}  // namespace sextant
