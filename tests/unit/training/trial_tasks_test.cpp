// SPDX-License-Identifier: Apache-2.0
#include "training/trial_tasks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

TEST(TrialTasks, TrainAndTestOnDifferentTexts) {
  const TemporaryDirectory folder;
  std::string text;
  for (int i = 0; i < 200; ++i) text += fmt::format("w{0} w{0} w{0}\n", i);
  const TrialTasks both =
      make_trial_tasks({.task = "lm",
                        .train_length = 2,
                        .test_lengths = {2, 1},
                        .corpus = {.inputs = {folder.write("a.txt", text).string()}}});
  EXPECT_EQ(both.training->spec(), both.test->spec());
  EXPECT_EQ(both.training->shape().vocabulary, both.test->shape().vocabulary);
  EXPECT_EQ(both.corpus_hash.size(), 32U);
  const auto tokens = [](const Task& task) {
    const std::vector<std::int32_t> drawn = task.sample(1, 0, 5000, 2).tokens;
    return std::set<std::int32_t>(drawn.begin(), drawn.end());
  };
  const std::set<std::int32_t> training = tokens(*both.training), test = tokens(*both.test);
  EXPECT_EQ(training.size(), 180U);
  EXPECT_EQ(test.size(), 20U);
  for (const std::int32_t token : test) EXPECT_FALSE(training.contains(token));
}

TEST(TrialTasks, WithoutTextAreTheTaskTwice) {
  const TrialTasks both = make_trial_tasks({});
  EXPECT_EQ(both.training->spec(), "running_sum");
  EXPECT_EQ(both.training->sample(1, 2, 3, 4).values, both.test->sample(1, 2, 3, 4).values);
  EXPECT_TRUE(both.corpus_hash.empty());
}

TEST(TrialTasks, SayWhatIsMissingBeforeTheFirstStep) {
  const TemporaryDirectory folder;
  const std::string file =
      folder.write("a.tsv", "1\tone two\n0\tthree four\n1\tfive six\n").string();
  expect_error(ErrorCode::kUsage, "mlm: needs a corpus", [] { make_trial_tasks({.task = "mlm"}); });
  expect_error(ErrorCode::kUsage, "a.tsv: classify needs a label for each text",
               [&] { make_trial_tasks({.task = "classify", .corpus = {.inputs = {file}}}); });
  expect_error(ErrorCode::kUsage, "a.tsv (training part): none of the 2 sequences has 50 tokens",
               [&] { make_trial_tasks({.task = "mlm", .corpus = {.inputs = {file}}}); });
  expect_error(ErrorCode::kUsage, "a.tsv (test part): none of the 1 sequences has 3 tokens", [&] {
    make_trial_tasks(
        {.task = "mlm", .train_length = 2, .test_lengths = {2, 3}, .corpus = {.inputs = {file}}});
  });
  expect_error(ErrorCode::kUsage, "running_sum: takes no corpus",
               [&] { make_trial_tasks({.corpus = {.inputs = {file}}}); });
}

}  // namespace
}  // namespace sextant
