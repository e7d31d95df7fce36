// SPDX-License-Identifier: Apache-2.0
#include "training/trial_plan.h"

#include <algorithm>
#include <set>

#include "support/expect_error.h"
#include "support/temporary_directory.h"
#include "training/trial_json.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

Trial small_trial() {
  Trial trial;
  trial.model.dim = 16;
  trial.train_length = 20;
  trial.test_lengths = {20, 40};
  return trial;
}

TEST(TrialEncodings, FillsInTheTrainingLengthWhereThereIsOne) {
  EXPECT_EQ(
      trial_encodings(Words{"rope", "wavelet", "learned(beyond=clamp)", "wavelet(train=30)"},
                      small_trial()),
      (Words{"rope", "wavelet(train=20)", "learned(beyond=clamp,train=20)", "wavelet(train=30)"}));
}

TEST(TrialEncodings, KeepTheSeedOfADrawThatTheSpecSets) {
  EXPECT_EQ(
      trial_encodings(Words{"t5", "t5(seed=1)", "rope+t5(seed=1)", "t5(seed=2)"}, small_trial()),
      (Words{"t5", "t5(seed=1)", "rope+t5(seed=1)", "t5(seed=2)"}));
}

TEST(TrialEncodings, RefusesWhatNoTrialCanUse) {
  const auto refused = [](const char* part, const Words& specs, const Trial& trial) {
    expect_error(ErrorCode::kUsage, part, [&] { trial_encodings(specs, trial); });
  };
  refused("did you mean 'rope'", {"none", "roep"}, small_trial());
  refused("stands twice", {"rope", "rope(base=10000)"}, small_trial());
  Trial odd = small_trial();
  odd.model.dim = 7;
  refused("even", {"rope"}, odd);
  refused("20", {"learned"}, small_trial());  // has no row 39
  Trial learning = small_trial();
  learning.learn = {"alibi"};
  refused("--learn", {"rope"}, learning);
}

TEST(TrialPlan, TakesEachSeedThroughAllEncodings) {
  Trial common = small_trial();
  common.seed = 5;
  const auto plan = trial_plan(common, Words{"none", "rope"}, 3);
  ASSERT_EQ(plan.size(), 6U);
  std::set<std::string> folders;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    EXPECT_EQ(plan[i].trial.seed, 5 + i / 2);
    EXPECT_EQ(plan[i].trial.encoding, i % 2 == 0 ? "none" : "rope");
    EXPECT_EQ(plan[i].trial.train_length, 20);
    folders.insert(plan[i].folder);
  }
  EXPECT_EQ(folders.size(), 6U);
}

TEST(TrialPlan, IsDealtInPartsThatDifferByOneTrialAtMost) {
  for (const Index encodings : {1, 2, 3, 6, 7}) {
    for (const Index parts : {1, 2, 3, 4, 7, 12, 50}) {
      for (const Index seeds : {1, 2, 5, 12}) {
        std::vector<Index> sizes(static_cast<std::size_t>(parts));
        for (Index i = 0; i < seeds * encodings; ++i)
          ++sizes.at(static_cast<std::size_t>(part_of_trial(i, encodings, parts)));
        const auto [least, most] = std::ranges::minmax(sizes);
        EXPECT_LE(most - least, 1) << encodings << " encodings, " << parts << " parts";
      }
    }
  }
}

TEST(TrialPlan, DealsEveryEncodingToEveryPartInTime) {
  for (const Index parts : {2, 3, 6, 7}) {
    std::set<std::pair<Index, Index>> seen;
    for (Index i = 0; i < 6 * 2 * parts * parts; ++i)
      seen.emplace(part_of_trial(i, 6, parts), i % 6);
    EXPECT_EQ(std::ssize(seen), 6 * parts) << parts;
  }
}

TEST(TrialPlan, LearnsInEachTrialWhatItsEncodingHas) {
  Trial common = small_trial();
  common.learn = {"alibi"};
  const auto plan = trial_plan(common, trial_encodings(Words{"none", "rope+alibi"}, common), 1);
  EXPECT_EQ(plan[0].trial.learn, Words{});
  EXPECT_EQ(plan[1].trial.learn, Words{"alibi"});
}

TEST(TrialFolder, IsANameForAnySpec) {
  for (const std::string& spec :
       {std::string("rope(base=500000)"), std::string("table:../../x/y.npy"), std::string("\"\n%/"),
        "generator(file=\"" + std::string(500, 'x') + ".npy\")"}) {
    Trial trial = small_trial();
    trial.encoding = spec;
    const std::string folder = trial_folder(trial);
    EXPECT_LT(folder.size(), 100U);
    EXPECT_NE(folder.front(), '-');
    EXPECT_EQ(folder.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-"),
              std::string::npos)
        << folder;
  }
  Trial trial = small_trial();
  trial.encoding = "rope(base=500000)";
  trial.seed = 3;
  EXPECT_EQ(trial_folder(trial).find("rope-base-500000-s3-"), 0U) << trial_folder(trial);
  const std::string before = trial_folder(trial);
  trial.schedule.rate *= 2.0;
  EXPECT_NE(trial_folder(trial), before);
}

TEST(FinishedTrial, IsTheResultOfTheSameTrialAlone) {
  const TemporaryDirectory folder;
  const Trial trial = small_trial();
  EXPECT_FALSE(finished_trial(folder.path(), trial, "", "").has_value());
  TrialResult result{.trial = trial, .parameters = 77, .corpus_hash = "abc", .files_hash = "f"};
  folder.write(kResultName, to_text(trial_result_json(result)));
  EXPECT_EQ(finished_trial(folder.path(), trial, "abc", "f").value().parameters, 77);
  Trial other = trial;
  other.seed = 2;
  EXPECT_FALSE(finished_trial(folder.path(), other, "abc", "f").has_value());
  expect_error(ErrorCode::kCheckpoint, "corpus",
               [&] { finished_trial(folder.path(), trial, "abd", "f"); });
  expect_error(ErrorCode::kCheckpoint, "a file that the trial names",
               [&] { finished_trial(folder.path(), trial, "abc", "g"); });
  folder.write(kResultName, "{\"trial\": ");
  expect_error(ErrorCode::kCheckpoint, kResultName,
               [&] { finished_trial(folder.path(), trial, "abc", "f"); });
}

}  // namespace
}  // namespace sextant
