// SPDX-License-Identifier: Apache-2.0
// T1 by training: what a model without positions reaches, against what it can reach at best.
//
// The control is exact: the best permutation-equivariant predictor of each task, which is not
// chance. A causal mask is a positional signal of its own, but not on a constant sequence, where
// every prefix looks alike.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "training/trial_study.h"

namespace sextant {
namespace {

constexpr StudyInfo kInfo = {
    .name = "necessity",
    .title = "Necessity of positions, trained",
    .claim = "T1",
    .question = "Does a model without positions do better than the best equivariant predictor?",
    .controls =
        "the exact best equivariant predictor of each task; a causal mask and a sinusoidal table "
        "with the same weights and data; bag, which needs no order; a constant sequence",
};

constexpr Index kLength = 12, kQuickSteps = 60;
constexpr const char *kNone = "none", *kCausal = "none, causal", *kSinusoidal = "sinusoidal";
constexpr const char* kArms[] = {kNone, kCausal, kSinusoidal};
constexpr const char* kConstant = "own_index(positions=12,vocabulary=1)";

// What the tasks share in their names: an arm is "order: none".
struct TaskCase {
  const char* task;
  const char* shown;
  double tolerance;  // around the best equivariant predictor: seeds and 2000 test sequences
};
constexpr TaskCase kCases[] = {
    {"order", "order", 0.03},
    {"reversal", "reversal", 0.02},
    {"own_index(positions=12)", "own index", 0.02},
    {"bag", "bag", 0.03},
};
constexpr double kSolved = 0.99;
constexpr double kSumRounding = 1e-6;

std::string arm_name(const char* shown, const char* arm) {
  return fmt::format("{}: {}", shown, arm);
}

Trial common_trial(const StudySetup& setup, const char* task) {
  Trial trial;
  trial.task = task;
  trial.model.dim = 32;
  trial.model.hidden = 64;
  trial.schedule = {.steps = setup.quick ? kQuickSteps : 500,
                    .batch = 64,
                    .rate = 3e-3,
                    .warm_up = setup.quick ? 10 : 50};
  trial.train_length = kLength;
  trial.test_lengths = {kLength};
  trial.test_sequences = 2000;
  return trial;
}

void add_arms(std::vector<StudyTrial>& plan, const StudySetup& setup, const Trial& common,
              const char* shown) {
  for (const char* arm : kArms) {
    Trial trial = common;
    trial.model.causal = arm == kCausal;
    add_arm(plan, arm_name(shown, arm), trial, arm == kSinusoidal ? "sinusoidal" : "none", setup);
  }
}

std::vector<StudyTrial> plan(const StudySetup& setup) {
  std::vector<StudyTrial> result;
  for (const TaskCase& each : kCases)
    add_arms(result, setup, common_trial(setup, each.task), each.shown);
  Trial constant = common_trial(setup, kConstant);
  constant.precision = Precision::kDouble;
  add_arms(result, setup, constant, "constant");
  return result;
}

double best_equivariant(const char* task) {
  for (const Baseline& baseline : tasks().make(task)->baselines(kLength))
    if (baseline.of_accuracy && baseline.name == "best equivariant") return baseline.value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::string case_sentence(const TaskCase& each, double best, double none, double causal,
                          double table) {
  const bool within = std::abs(none - best) <= each.tolerance;
  std::string text = fmt::format(
      "{}: without positions {:.3f}, the best equivariant predictor "
      "{:.4f}: {}",
      each.shown, none, best,
      within        ? "equal within seeds, as T1 says"
      : none < best ? "not yet reached; more steps may"
                    : "ABOVE the bound of T1: something is wrong");
  if (best < kSolved) {
    text +=
        fmt::format("; a causal mask alone reaches {:.3f}{}, a sinusoidal table {:.3f}", causal,
                    causal > best + each.tolerance ? ", so that T1 needs 'no mask'" : "", table);
  }
  return text + ".";
}

// With one output z at all positions the loss at i is log sum exp z - z_i, so that exp(-loss) sums
// to 1 over the positions. Else it need not, but may.
std::optional<double> departure_from_one(const StudyOutcome& each) {
  const Vector& losses = each.outcome.result->evaluations.front().loss_by_position;
  if (losses.empty()) return {};
  double sum = -1.0;
  for (const double loss : losses) sum += std::exp(-loss);
  return std::abs(sum);
}

void add_constant(StudyFindings& findings, std::span<const StudyOutcome> outcomes) {
  const double best = best_equivariant(kConstant);
  for (const char* arm : kArms) {
    const std::string name = arm_name("constant", arm);
    StudyNumber accuracy = measured(outcomes, name, "accuracy", tested(TrialMetric::kAccuracy));
    accuracy.control = "best equivariant";
    accuracy.against = best;
    findings.numbers.push_back(std::move(accuracy));
    StudyNumber departure =
        measured(outcomes, name, "abs(sum of exp(-loss) - 1)", departure_from_one);
    departure.control = "rounding";
    departure.against = kSumRounding;
    findings.numbers.push_back(std::move(departure));
  }
  const StudyNumber& causal = findings.numbers[findings.numbers.size() - 3];
  if (causal.values.empty()) return;
  findings.sentences.push_back(fmt::format(
      "constant sequence: under a causal mask without an encoding exp(-loss) sums over the "
      "positions to 1 but for {:.1e}: {}.",
      causal.mean(),
      causal.mean() < kSumRounding
          ? "as it does where one output stands at all positions; no sign that the mask counts "
            "where all content is equal"
          : "the outputs differ, so that something besides content tells positions apart"));
}

StudyFindings analyse(const StudySetup&, std::span<const StudyOutcome> outcomes) {
  StudyFindings findings;
  for (const TaskCase& each : kCases) {
    const double best = best_equivariant(each.task);
    double means[std::size(kArms)] = {};
    for (std::size_t a = 0; a < std::size(kArms); ++a) {
      StudyNumber number = measured(outcomes, arm_name(each.shown, kArms[a]), "accuracy",
                                    tested(TrialMetric::kAccuracy));
      number.control = "best equivariant";
      number.against = best;
      means[a] = number.mean();
      findings.numbers.push_back(std::move(number));
    }
    if (!std::isnan(means[0]))
      findings.sentences.push_back(case_sentence(each, best, means[0], means[1], means[2]));
  }
  add_constant(findings, outcomes);
  return findings;
}

}  // namespace

void register_necessity(StudyRegistry& registry) { registry.add(kInfo, plan, analyse); }

}  // namespace sextant
