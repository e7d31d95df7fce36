// SPDX-License-Identifier: Apache-2.0
// T3 by training: how a learned table meets the geometry of its corpus, and how it leaves it again.
//
// Two readings: larger Hellinger distances give larger learned ones (order violations), and learned
// distances move in one direction (sign changes). Both are counted; nothing is asserted, since the
// claim is a conjecture for infinite width and gradient flow, and this is neither.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "training/mlm_study.h"
#include "training/statistics.h"

namespace sextant {
namespace {

constexpr StudyInfo kInfo = {
    .name = "monotonicity",
    .title = "Monotonicity along training",
    .claim = "T3",
    .question = "Do learned distances approach those of the corpus, in order and in one direction?",
    .controls =
        "the same training on shuffled texts; the first rows, which are a draw; .5 is the share of "
        "violations of any order that knows nothing",
    .needs_corpus = true,
};

constexpr const char *kReal = "mlm", *kShuffled = "mlm, shuffled";
constexpr const char* kArms[] = {kReal, kShuffled};
constexpr double kCoin = 0.5;    // order violations of a random order
constexpr double kLevel = 0.05;  // of the test whether the corpus comes nearer than its control

std::vector<StudyTrial> plan(const StudySetup& setup) {
  std::vector<StudyTrial> result;
  for (const char* arm : kArms)
    add_arm(result, arm, mlm_trial(setup, arm == kReal ? "mlm" : "mlm(shuffled=1)"), "learned",
            setup);
  return result;
}

double last_violations(const DistanceMatrix& target, const RowHistory& history) {
  return order_violations(target.values(), distance_history(history).back().values()).share();
}

double first_violations(const DistanceMatrix& target, const RowHistory& history) {
  return order_violations(target.values(), distance_history(history).front().values()).share();
}

double mean_changes(const RowHistory& history) {
  const std::vector<Index> changes = sign_changes(distance_history(history));
  return static_cast<double>(std::accumulate(changes.begin(), changes.end(), Index{0})) /
         static_cast<double>(changes.size());
}

double monotone_share(const RowHistory& history) {
  const std::vector<Index> changes = sign_changes(distance_history(history));
  return static_cast<double>(std::ranges::count(changes, Index{0})) /
         static_cast<double>(changes.size());
}

// Quantities of the turning point of the stress.
struct Quantity {
  const char* name;
  double (*of)(const TurningPoint&);
};
constexpr Quantity kTurning[] = {
    {"stress at the start", [](const TurningPoint& p) { return p.first; }},
    {"least stress", [](const TurningPoint& p) { return p.least; }},
    {"step of the least stress", [](const TurningPoint& p) { return static_cast<double>(p.step); }},
    {"stress at the end", [](const TurningPoint& p) { return p.last; }},
    {"turns round (share of seeds)", [](const TurningPoint& p) { return p.turns() ? 1.0 : 0.0; }},
};

void add_numbers(StudyFindings& findings, const DistanceMatrix& target,
                 std::span<const StudyOutcome> outcomes, const char* arm) {
  for (const Quantity& each : kTurning) {
    findings.numbers.push_back(
        measured(outcomes, arm, each.name, of_rows([&](const RowHistory& history) {
                   return each.of(turning_point(history.steps, stress_history(target, history)));
                 })));
  }
  for (const bool last : {false, true}) {
    StudyNumber number = measured(
        outcomes, arm, last ? "order violations at the end" : "order violations at the start",
        of_rows([&target, last](const RowHistory& history) {
          return last ? last_violations(target, history) : first_violations(target, history);
        }));
    number.control = "an order that knows nothing";
    number.against = kCoin;
    findings.numbers.push_back(std::move(number));
  }
  findings.numbers.push_back(
      measured(outcomes, arm, "sign changes of a distance", of_rows(mean_changes)));
  findings.numbers.push_back(
      measured(outcomes, arm, "distances that never turn", of_rows(monotone_share)));
}

Figure stress_figure(const DistanceMatrix& target, std::span<const StudyOutcome> outcomes) {
  Figure figure{.title = "Stress of the learned table along training",
                .x_label = "step",
                .y_label = "scaled stress"};
  for (const StudyOutcome& each : outcomes) {
    if (!finished(each)) continue;
    const RowHistory history = read_row_history(each.folder);
    figure.curves.push_back({.name = fmt::format("{} seed {}", each.arm, each.outcome.trial.seed),
                             .x = Vector(history.steps.begin(), history.steps.end()),
                             .y = stress_history(target, history)});
  }
  return figure;
}

// Both arms start from the same rows and are held against the same corpus, so that the least stress
// says which came nearer to it.
std::string turning_words(std::span<const StudyNumber> real,
                          std::span<const StudyNumber> shuffled) {
  if (real[4].mean() <= 0.5) return "no return within these steps";
  const PairedComparison nearer = paired_comparison(real[1].by_seed(), shuffled[1].by_seed());
  if (!nearer.difference) return "no seed has a control, so that training alone may do it";
  if (*nearer.difference < 0.0 && nearer.p_t.value_or(1.0) < kLevel)
    return "the table meets the corpus on its way and leaves it again";
  return "shuffled text comes as near, as far as these seeds tell: no sign that the corpus is what "
         "the table meets";
}

std::string turns_text(const StudyNumber& turns) {
  return fmt::format("turns round in {:.0f} of {} seeds",
                     turns.mean() * static_cast<double>(turns.values.size()), turns.values.size());
}

std::string turning_sentence(std::span<const StudyNumber> real,
                             std::span<const StudyNumber> shuffled) {
  std::string text = fmt::format(
      "stress goes from {:.3f} to {:.3f} at step {:.0f}, ends at {:.3f} and {}", real[0].mean(),
      real[1].mean(), real[2].mean(), real[3].mean(), turns_text(real[4]));
  if (!shuffled[0].values.empty()) {
    text += fmt::format(
        "; on shuffled text it goes to {:.3f} at step {:.0f}, ends at {:.3f} and {}",
        shuffled[1].mean(), shuffled[2].mean(), shuffled[3].mean(), turns_text(shuffled[4]));
  }
  return fmt::format("{}: {}.", text, turning_words(real, shuffled));
}

void add_sentences(StudyFindings& findings) {
  constexpr std::size_t kOfArm = std::size(kTurning) + 4;
  const std::span<const StudyNumber> real = std::span(findings.numbers).first(kOfArm);
  const std::span<const StudyNumber> shuffled = std::span(findings.numbers).subspan(kOfArm);
  if (real[0].values.empty()) return;
  findings.sentences.push_back(turning_sentence(real, shuffled));
  findings.sentences.push_back(fmt::format(
      "order (M1): {:.1f} % of pairs of pairs stand the wrong way at the end, {:.1f} % at the start"
      "{}: {}.",
      100.0 * real[6].mean(), 100.0 * real[5].mean(),
      shuffled[6].values.empty()
          ? ""
          : fmt::format(", {:.1f} % on shuffled text", 100.0 * shuffled[6].mean()),
      real[6].mean() == 0.0    ? "no violation"
      : real[6].mean() < kCoin ? "better than chance, yet not the order of the corpus"
                               : "no better than chance"));
  findings.sentences.push_back(fmt::format(
      "direction (M2): a distance turns round {:.1f} times, {:.1f} % never do: {}.", real[7].mean(),
      100.0 * real[8].mean(),
      real[8].mean() == 1.0 ? "all move in one direction"
                            : "not monotone in this training, which is Adam on batches and no "
                              "gradient flow"));
}

StudyFindings analyse(const StudySetup& setup, std::span<const StudyOutcome> outcomes) {
  const DistanceMatrix target = mlm_target(setup);
  StudyFindings findings;
  for (const char* arm : kArms) add_numbers(findings, target, outcomes, arm);
  for (std::size_t i = 0, half = findings.numbers.size() / 2; i < half; ++i) {
    if (!findings.numbers[i].control.empty()) continue;
    findings.numbers[i].control = "shuffled";
    findings.numbers[i].against = findings.numbers[half + i].mean();
  }
  add_sentences(findings);
  findings.figures = {stress_figure(target, outcomes)};
  return findings;
}

}  // namespace

void register_monotonicity(StudyRegistry& registry) { registry.add(kInfo, plan, analyse); }

}  // namespace sextant
