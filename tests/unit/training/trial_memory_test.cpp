// SPDX-License-Identifier: Apache-2.0
#include "training/trial_memory.h"

#include "support/expect_error.h"

namespace sextant {
namespace {

const TaskShape kNumbers;

TEST(TrialMemory, HoldsFourNumbersForEachWeight) {
  Trial trial;
  trial.model.layers = 3;
  trial.model.dim = 1024;
  trial.model.hidden = 4096;
  const double matrices = 3.0 * (4.0 + 2.0 * 4.0) * 1024.0 * 1024.0;
  EXPECT_NEAR(trial_memory(trial, kNumbers).weights, 16.0 * matrices, 0.01 * 16.0 * matrices);
  trial.precision = Precision::kDouble;
  EXPECT_NEAR(trial_memory(trial, kNumbers).weights, 32.0 * matrices, 0.01 * 32.0 * matrices);
}

// 65,536 wide: 2 x 4 d^2 weights of 16 bytes are 550 GB.
TEST(TrialMemory, NamesTheOptionOfTheLargestPart) {
  Trial trial;
  trial.model.dim = 65536;
  EXPECT_GT(trial_memory(trial, kNumbers).peak(), 550e9);
  EXPECT_EQ(trial_memory(trial, kNumbers).option(), "--dim");
  trial = {};
  trial.train_length = 50000;
  // The logits of ten sequences in one layer alone.
  EXPECT_GT(trial_memory(trial, kNumbers).peak(), 10.0 * 50000.0 * 50000.0 * 4.0);
  EXPECT_EQ(trial_memory(trial, kNumbers).option(), "--train");
  trial = {};
  trial.test_lengths = {50, 100000};
  EXPECT_GT(trial_memory(trial, kNumbers).peak(), 1e10 * 4.0);
  EXPECT_EQ(trial_memory(trial, kNumbers).option(), "--test");
  trial = {};
  trial.attention_length = 100000;
  EXPECT_GT(trial_memory(trial, kNumbers).peak(), 2.0 * 1e10 * 4.0);
  EXPECT_EQ(trial_memory(trial, kNumbers).option(), "--attention");
  trial = {};
  trial.keep_rows = 1;
  trial.schedule.steps = 1000000;
  EXPECT_EQ(trial_memory(trial, kNumbers).option(), "--keep-rows");
}

TEST(TrialMemory, OfALanguageModelHasTheWayOutOfEveryToken) {
  const Trial trial;
  const TaskShape few = {.vocabulary = 100, .outputs = 100, .loss = Loss::kCrossEntropy};
  const TaskShape many = {.vocabulary = 30000, .outputs = 30000, .loss = Loss::kCrossEntropy};
  EXPECT_GT(trial_memory(trial, many).training - trial_memory(trial, few).training,
            10.0 * 50.0 * 29900.0 * 4.0);
}

TEST(TrialMemory, TestsFewLongSequencesAtOnce) {
  EXPECT_EQ(tested_at_once(1, 50), kTestBatch);
  EXPECT_EQ(tested_at_once(1, 1024), 16);
  EXPECT_EQ(tested_at_once(4, 1024), 4);
  EXPECT_EQ(tested_at_once(1, 1000000), 1);
}

TEST(TrialMemory, RefusesWhatDoesNotFitTogetherWithWhatToLower) {
  Trial trial;
  trial.test_lengths = {100000};
  expect_error(ErrorCode::kRefused, "--test",
               [&] { check_trial_memory(trial, kNumbers, 1, std::uint64_t{10'000'000'000}); });
  const Trial small;
  const auto twice = static_cast<std::uint64_t>(2.0 * trial_memory(small, kNumbers).peak());
  check_trial_memory(small, kNumbers, 2, twice);
  expect_error(ErrorCode::kRefused, "lower --jobs",
               [&] { check_trial_memory(small, kNumbers, 3, twice); });
  trial.device = "cuda";
  check_trial_memory(trial, kNumbers, 1, std::uint64_t{1});
}

}  // namespace
}  // namespace sextant
