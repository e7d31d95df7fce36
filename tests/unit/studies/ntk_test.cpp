// SPDX-License-Identifier: Apache-2.0
// The study of the tangent kernel on made-up drifts.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "support/temporary_directory.h"
#include "training/trial_plan.h"
#include "training/trial_study.h"

namespace sextant {
namespace {

// Drift 4 / width of every trial but those of a width that failed.
StudyFindings findings(const TemporaryDirectory& folder, Index failed) {
  const StudySetup setup{.seeds = 1};
  const StudyRegistry::Entry& study = studies().find("ntk");
  std::vector<StudyOutcome> all;
  for (const StudyTrial& each : study.plan(setup)) {
    const std::string name = trial_folder(each.trial);
    StudyOutcome outcome{
        .arm = each.arm, .outcome = {.trial = each.trial}, .folder = folder / name};
    if (each.trial.model.dim != failed) {
      std::filesystem::create_directory(folder / name);
      folder.write(name + "/ntk.json",
                   fmt::format("{{\"outputs\":2,\"start_norm\":1,\"end_norm\":1,\"drift\":{},"
                               "\"alignment\":1}}",
                               4.0 / static_cast<double>(each.trial.model.dim)));
      outcome.outcome.result = TrialResult{.trial = each.trial};
    }
    all.push_back(std::move(outcome));
  }
  return study.analyse(setup, all);
}

TEST(NtkStudy, HoldsEveryDriftAgainstTheNarrowestModel) {
  const TemporaryDirectory folder;
  for (const StudyNumber& number : findings(folder, 0).numbers) {
    if (number.quantity != "drift" || number.arm == "d=16") continue;
    EXPECT_EQ(number.control, "d=16") << number.arm;
    EXPECT_EQ(number.against, 0.25) << number.arm;
  }
}

TEST(NtkStudy, HasNoControlWhereTheNarrowestModelFailed) {
  const TemporaryDirectory folder;
  int drifts = 0;
  for (const StudyNumber& number : findings(folder, 16).numbers) {
    if (number.quantity != "drift") continue;
    ++drifts;
    EXPECT_EQ(number.control, "") << number.arm;
    EXPECT_FALSE(number.against.has_value()) << number.arm;
  }
  EXPECT_EQ(drifts, 9);
}

}  // namespace
}  // namespace sextant
