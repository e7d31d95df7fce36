// SPDX-License-Identifier: Apache-2.0
// The study of necessity on made-up results.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "training/trial_study.h"

namespace sextant {
namespace {

const StudyRegistry::Entry& study() { return studies().find("necessity"); }

// Outcomes of all arms; accuracy by the arm's name, outputs of the constant sequence all alike.
std::vector<StudyOutcome> outcomes(const StudySetup& setup,
                                   const std::function<double(const std::string&)>& accuracy) {
  std::vector<StudyOutcome> result;
  for (StudyTrial& each : study().plan(setup)) {
    Evaluation evaluation{.length = 12, .loss = 1.0, .accuracy = accuracy(each.arm)};
    evaluation.loss_by_position = Vector(12, std::log(12.0));
    TrialResult found{.trial = each.trial, .evaluations = {evaluation}};
    result.push_back({.arm = each.arm, .outcome = {.trial = each.trial, .result = found}});
  }
  return result;
}

double as_the_theorem_says(const std::string& arm) {
  if (arm == "order: none") return 0.49;
  if (arm == "reversal: none") return 0.262;
  if (arm == "own index: none") return 1.0 / 12.0;
  return 1.0;
}

std::string sentence(const StudyFindings& findings, std::string_view start) {
  const auto found = std::ranges::find_if(
      findings.sentences, [&](const std::string& each) { return each.starts_with(start); });
  return found == findings.sentences.end() ? "" : *found;
}

TEST(NecessityStudy, HoldsEveryTaskAgainstItsBestEquivariantPredictor) {
  const StudySetup setup{.seeds = 2};
  const StudyFindings findings = study().analyse(setup, outcomes(setup, as_the_theorem_says));
  const auto at = [&](std::string_view arm) {
    return *std::ranges::find(findings.numbers, arm, &StudyNumber::arm);
  };
  EXPECT_EQ(at("order: none").values, (std::vector{0.49, 0.49}));
  EXPECT_EQ(at("order: none").against, 0.5);
  EXPECT_NEAR(at("reversal: none").against.value(), 0.2662, 1e-4) << "cut to four digits";
  EXPECT_NEAR(at("own index: none").against.value(), 1.0 / 12.0, 1e-15);
  EXPECT_EQ(at("bag: none").against, 1.0);
}

TEST(NecessityStudy, SaysWhatTheNumbersDecide) {
  const StudySetup setup{.seeds = 1};
  const StudyFindings holds = study().analyse(setup, outcomes(setup, as_the_theorem_says));
  EXPECT_NE(sentence(holds, "order").find("as T1 says"), std::string::npos);
  EXPECT_NE(sentence(holds, "order").find("T1 needs 'no mask'"), std::string::npos);
  EXPECT_NE(sentence(holds, "constant").find("no sign that the mask counts"), std::string::npos);
  const StudyFindings above =
      study().analyse(setup, outcomes(setup, [](const auto&) { return 0.9; }));
  EXPECT_NE(sentence(above, "order").find("ABOVE"), std::string::npos);
  const StudyFindings below =
      study().analyse(setup, outcomes(setup, [](const auto&) { return 0.1; }));
  EXPECT_NE(sentence(below, "order").find("not yet reached"), std::string::npos);
}

TEST(NecessityStudy, SeesOutputsThatDifferBetweenPositions) {
  const StudySetup setup{.seeds = 1};
  std::vector<StudyOutcome> all = outcomes(setup, as_the_theorem_says);
  // Every position sure of itself: exp(-loss) sums to 12.
  for (StudyOutcome& each : all)
    each.outcome.result->evaluations.front().loss_by_position = Vector(12, 0.0);
  const StudyFindings findings = study().analyse(setup, all);
  EXPECT_NE(sentence(findings, "constant").find("but for 1.1e+01: the outputs differ"),
            std::string::npos)
      << sentence(findings, "constant");
}

TEST(NecessityStudy, SaysNothingOfTrialsThatFailed) {
  const StudySetup setup{.seeds = 1};
  std::vector<StudyOutcome> all = outcomes(setup, as_the_theorem_says);
  for (StudyOutcome& each : all) each.outcome.result.reset();
  const StudyFindings findings = study().analyse(setup, all);
  EXPECT_TRUE(findings.sentences.empty());
  for (const StudyNumber& number : findings.numbers) EXPECT_TRUE(number.values.empty());
}

TEST(NecessityStudy, TrainsAllArmsOfASeedOnTheSameData) {
  const std::vector<StudyTrial> plan = study().plan({.seeds = 3, .seed = 7});
  std::set<std::string> keys, arms;
  for (const StudyTrial& each : plan) {
    keys.insert(trial_key(each.trial));
    arms.insert(each.arm);
  }
  EXPECT_EQ(keys.size(), plan.size());
  EXPECT_EQ(plan.size(), 3 * arms.size());
  EXPECT_TRUE(std::ranges::is_sorted(plan, {}, [](const auto& each) { return each.trial.seed; }));
  EXPECT_EQ(plan.front().trial.seed, 7U);
  EXPECT_EQ(plan.back().trial.seed, 9U);
}

}  // namespace
}  // namespace sextant
