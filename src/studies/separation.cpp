// SPDX-License-Identifier: Apache-2.0
// T2 by training: rows that start at one point, and whether training moves them apart.
//
// They move apart on shuffled text too, where no position differs from another: noise of the
// gradient is enough. So a distance proves nothing alone. Whether rows learn the corpus shows in
// the correlation of their distances with those of the corpus.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "training/mlm_study.h"

namespace sextant {
namespace {

constexpr StudyInfo kInfo = {
    .name = "separation",
    .title = "Positional separation, trained from coincident rows",
    .claim = "T2",
    .question = "Do rows that start at one point move apart because positions differ?",
    .controls =
        "the same training on shuffled texts, where all positions are alike; the dial eps of the "
        "task separation, at 0 of which a swap of the two positions changes nothing",
    .needs_corpus = true,
};

constexpr const char *kReal = "mlm", *kShuffled = "mlm, shuffled";
constexpr double kDials[] = {0.0, 0.25, 1.0};
constexpr Index kDialLength = 4;
constexpr double kClear = 0.3;  // of a correlation over 120 pairs: more than three deviations

std::string dial_arm(double eps) { return fmt::format("eps={}", eps); }

std::vector<StudyTrial> plan(const StudySetup& setup) {
  std::vector<StudyTrial> result;
  const std::string start =
      encoding_of_rows("table", Matrix(kMlmLength, kMlmDim), "coincident.npy", setup);
  for (const bool shuffled : {false, true}) {
    Trial trial = mlm_trial(setup, shuffled ? "mlm(shuffled=1)" : "mlm");
    trial.learn = {"table"};
    add_arm(result, shuffled ? kShuffled : kReal, trial, start, setup);
  }
  const std::string small =
      encoding_of_rows("table", Matrix(kDialLength, kMlmDim), "coincident_small.npy", setup);
  for (const double eps : kDials) {
    Trial trial = mlm_trial(setup, fmt::format("separation(eps={})", eps));
    trial.train_length = kDialLength;
    trial.test_lengths = {kDialLength};
    trial.corpus = {};
    trial.learn = {"table"};
    add_arm(result, dial_arm(eps), trial, small, setup);
  }
  return result;
}

void add_text_numbers(StudyFindings& findings, const StudySetup& setup,
                      std::span<const StudyOutcome> outcomes) {
  const DistanceMatrix target = mlm_target(setup);
  const StudyMeasure least = of_rows([](const RowHistory& history) {
    return least_distance(stored(*distances_of_rows(history.rows.back())));
  });
  const StudyMeasure correlation =
      of_rows([&target](const RowHistory& history) { return last_correlation(target, history); });
  StudyNumber real = measured(outcomes, kReal, "least distance of rows", least);
  const StudyNumber apart = measured(outcomes, kShuffled, "least distance of rows", least);
  StudyNumber follows = measured(outcomes, kReal, "correlation with the corpus", correlation);
  const StudyNumber chance =
      measured(outcomes, kShuffled, "correlation with the corpus", correlation);
  real.control = follows.control = "shuffled";
  real.against = apart.mean();
  follows.against = chance.mean();
  findings.numbers.insert(findings.numbers.end(), {real, apart, follows, chance});
  if (real.values.empty() || apart.values.empty()) return;
  findings.sentences.push_back(fmt::format(
      "text: rows from one point end {:.3g} apart at least, on shuffled text {:.3g}: {}.",
      real.mean(), apart.mean(),
      apart.mean() > 0.5 * real.mean()
          ? "they move apart without any reason to, so the distance alone proves nothing"
          : "most of the distance comes from the corpus"));
  const bool clear = follows.mean() > kClear && std::abs(chance.mean()) < kClear;
  findings.sentences.push_back(
      fmt::format("text: their distances correlate with those of the corpus by {:.2f}, on shuffled "
                  "text by {:.2f}: {}.",
                  follows.mean(), chance.mean(),
                  clear ? "training separates positions by what stands there"
                        : "no clear sign that the corpus decides them"));
}

double swapped_distance(const RowHistory& history) {
  return stored(*distances_of_rows(history.rows.back()))(0, 1);
}

std::optional<double> baseline(double eps, std::string_view name) {
  for (const Baseline& each :
       tasks().make(fmt::format("separation(eps={})", eps))->baselines(kDialLength))
    if (!each.of_accuracy && each.name == name) return each.value;
  return {};
}

void add_dial_numbers(StudyFindings& findings, std::span<const StudyOutcome> outcomes) {
  std::vector<double> distances;
  for (const double eps : kDials) {
    StudyNumber distance =
        measured(outcomes, dial_arm(eps), "distance of rows i and j", of_rows(swapped_distance));
    if (!distances.empty()) {
      distance.control = dial_arm(kDials[0]);
      distance.against = distances.front();
    }
    distances.push_back(distance.mean());
    findings.numbers.push_back(std::move(distance));
    StudyNumber loss = measured(outcomes, dial_arm(eps), "loss", tested(TrialMetric::kLoss));
    loss.control = "swap invariant";
    loss.against = baseline(eps, "swap invariant");
    findings.numbers.push_back(std::move(loss));
  }
  if (std::ranges::any_of(distances, [](double d) { return std::isnan(d); })) return;
  findings.sentences.push_back(fmt::format(
      "dial: rows of the two positions end {:.3g} apart at eps=0, where nothing asks for it, "
      "{:.3g} at eps={} and {:.3g} at eps={}: {}.",
      distances[0], distances[1], kDials[1], distances[2], kDials[2],
      distances[2] > 2.0 * distances[0]
          ? "order that matters separates them further than noise"
          : "the distance does not tell order that matters from noise"));
}

StudyFindings analyse(const StudySetup& setup, std::span<const StudyOutcome> outcomes) {
  StudyFindings findings;
  add_text_numbers(findings, setup, outcomes);
  add_dial_numbers(findings, outcomes);
  return findings;
}

}  // namespace

void register_separation(StudyRegistry& registry) { registry.add(kInfo, plan, analyse); }

}  // namespace sextant
