// SPDX-License-Identifier: Apache-2.0
// What every study of the catalogue must be.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sextant/theorem.h"
#include "support/temporary_directory.h"
#include "training/token_corpus.h"
#include "training/trial_study.h"
#include "training/trial_tasks.h"

namespace sextant {
namespace {

class StudyLaws : public testing::TestWithParam<std::string> {
 protected:
  const StudyRegistry::Entry& entry() const { return studies().find(GetParam()); }
  StudySetup setup(bool quick) const {
    StudySetup result{.seeds = 2, .seed = 3, .quick = quick, .arrays = folder_.path()};
    if (entry().info->needs_corpus) {
      result.corpus.inputs = {"synthetic:drift(sequences=200)"};
      result.tokens = read_token_corpus(result.corpus);
    }
    return result;
  }

 private:
  TemporaryDirectory folder_;
};

TEST_P(StudyLaws, SaysWhatItAsksAndWhatItIsHeldAgainst) {
  const StudyInfo& info = *entry().info;
  EXPECT_EQ(theorems().find(info.claim).info->id, info.claim);
  EXPECT_TRUE(info.question.ends_with("?"));
  EXPECT_FALSE(info.controls.empty());
  EXPECT_FALSE(info.title.empty());
}

TEST_P(StudyLaws, PlansTheSameTrialsTwice) {
  const StudySetup once = setup(false);
  const std::vector<StudyTrial> a = entry().plan(once), b = entry().plan(once);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].arm, b[i].arm);
    EXPECT_EQ(trial_key(a[i].trial), trial_key(b[i].trial));
  }
}

TEST_P(StudyLaws, PlansEveryArmWithEverySeedAndNoTrialTwice) {
  std::map<std::string, std::set<std::uint64_t>> seeds;
  std::set<std::string> keys;
  const std::vector<StudyTrial> plan = entry().plan(setup(false));
  for (const StudyTrial& each : plan) {
    seeds[each.arm].insert(each.trial.seed);
    keys.insert(trial_key(each.trial));
  }
  EXPECT_EQ(keys.size(), plan.size());
  for (const auto& [arm, of_arm] : seeds) EXPECT_EQ(of_arm, (std::set<std::uint64_t>{3, 4})) << arm;
}

TEST_P(StudyLaws, PlansTrialsThatTheirTasksAllow) {
  for (const StudyTrial& each : entry().plan(setup(true)))
    EXPECT_NO_THROW(make_trial_tasks(each.trial)) << each.arm;
}

TEST_P(StudyLaws, IsQuickerWhenAskedToBe) {
  const auto steps = [](const std::vector<StudyTrial>& plan) {
    Index sum = 0;
    for (const StudyTrial& each : plan) sum += each.trial.schedule.steps;
    return sum;
  };
  EXPECT_LT(4 * steps(entry().plan(setup(true))), steps(entry().plan(setup(false))));
}

TEST_P(StudyLaws, HasNoNumbersWithoutResults) {
  const StudySetup asked = setup(false);
  std::vector<StudyOutcome> outcomes;
  for (const StudyTrial& each : entry().plan(asked))
    outcomes.push_back({.arm = each.arm, .outcome = {.trial = each.trial, .error = "it broke"}});
  for (const StudyNumber& number : entry().analyse(asked, outcomes).numbers)
    EXPECT_TRUE(number.values.empty()) << number.arm << ", " << number.quantity;
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const StudyRegistry::Entry& entry : studies().entries())
    result.emplace_back(entry.info->name);
  return result;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, StudyLaws, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace sextant
