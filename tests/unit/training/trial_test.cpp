// SPDX-License-Identifier: Apache-2.0
#include "sextant/trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Change {
  const char* option;
  std::function<void(Trial&)> apply;
};

void refuses(const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    Trial trial;
    change.apply(trial);
    expect_error(ErrorCode::kUsage, std::string(change.option) + ": ", [&] { validate(trial); });
  }
}

TEST(ValidateTrial, AcceptsWhatATrialIsByDefault) { EXPECT_NO_THROW(validate({})); }

TEST(ValidateTrial, AcceptsTheEndsOfEveryRange) {
  Trial trial;
  trial.model.hidden = 0;
  trial.model.layers = 1;
  trial.schedule = {.steps = 1, .batch = 1, .warm_up = 0, .decay_from = 0.0, .clip = 0.0};
  trial.train_length = 1;
  trial.test_lengths = {1, 1000000};
  trial.test_sequences = 1;
  trial.attention_length = 1000000;
  EXPECT_NO_THROW(validate(trial));
  trial.schedule.decay_from = 1.0;
  trial.schedule.warm_up = 50;  // beyond the last step: the rate only rises
  trial.train_length = 1000000;
  trial.test_lengths.clear();
  EXPECT_NO_THROW(validate(trial));
}

TEST(ValidateTrial, NamesTheOptionOfAModelThatCannotBe) {
  refuses({{"--layers", [](Trial& t) { t.model.layers = 0; }},
           {"--dim", [](Trial& t) { t.model.dim = 0; }},
           {"--heads", [](Trial& t) { t.model.heads = 0; }},
           {"--dim", [](Trial& t) { t.model.heads = 3; }},
           {"--hidden", [](Trial& t) { t.model.hidden = -1; }},
           {"norm_epsilon", [](Trial& t) { t.model.norm_epsilon = 0.0; }},
           {"norm_epsilon", [](Trial& t) { t.model.norm_epsilon = kNan; }}});
}

TEST(ValidateTrial, TakesWeightsForBertAlone) {
  Trial trial;
  set_bert_base(trial);
  trial.weights = "model.safetensors";
  EXPECT_NO_THROW(validate(trial));
  refuses({{"--weights", [](Trial& t) { t.weights = "model.safetensors"; }},
           {"--weights", [](Trial& t) { t.weights = "\xff"; }}});
}

TEST(ValidateTrial, NamesTheOptionOfAScheduleThatCannotBe) {
  refuses({{"--steps", [](Trial& t) { t.schedule.steps = 0; }},
           {"--batch", [](Trial& t) { t.schedule.batch = 0; }},
           {"--rate", [](Trial& t) { t.schedule.rate = 0.0; }},
           {"--rate", [](Trial& t) { t.schedule.rate = -1e-3; }},
           {"--rate", [](Trial& t) { t.schedule.rate = kNan; }},
           {"--rate", [](Trial& t) { t.schedule.rate = kInfinity; }},
           {"--warm-up", [](Trial& t) { t.schedule.warm_up = -1; }},
           {"--decay-from", [](Trial& t) { t.schedule.decay_from = -0.1; }},
           {"--decay-from", [](Trial& t) { t.schedule.decay_from = 1.1; }},
           {"--decay-from", [](Trial& t) { t.schedule.decay_from = kNan; }},
           {"--clip", [](Trial& t) { t.schedule.clip = -1.0; }},
           {"--clip", [](Trial& t) { t.schedule.clip = kInfinity; }}});
}

TEST(ValidateTrial, NamesTheOptionOfALengthThatCannotBe) {
  refuses({{"--train", [](Trial& t) { t.train_length = 0; }},
           {"--train", [](Trial& t) { t.train_length = 1000001; }},
           {"--test",
            [](Trial& t) {
              t.test_lengths = {50, 0};
            }},
           {"--test", [](Trial& t) { t.test_lengths = {1000001}; }},
           {"--test-sequences", [](Trial& t) { t.test_sequences = 0; }},
           {"--keep-rows", [](Trial& t) { t.keep_rows = -1; }},
           {"--keep-rows",
            [](Trial& t) {  // 100,001 tables of 50 x 64 floats
              t.keep_rows = 1;
              t.schedule.steps = 100000;
            }},
           {"--attention", [](Trial& t) { t.attention_length = -1; }}});
}

TEST(ValidateTrial, NamesTheOptionOfAText) {
  refuses({{"TASK", [](Trial& t) { t.task.clear(); }},
           {"--encodings", [](Trial& t) { t.encoding.clear(); }},
           {"--learn",
            [](Trial& t) {
              t.learn = {"rope", ""};
            }},
           {"--device", [](Trial& t) { t.device.clear(); }},
           {"--device", [](Trial& t) { t.device = "cuda:"; }},
           {"--device", [](Trial& t) { t.device = "cuda:-1"; }},
           {"--device", [](Trial& t) { t.device = "CPU"; }},
           {"--tokens", [](Trial& t) { t.corpus.tokenizer.clear(); }},
           {"FILE", [](Trial& t) { t.corpus.inputs = {"a\xff.txt"}; }},
           {"--text-column", [](Trial& t) { t.corpus.text_column = "\xc3"; }},
           {"--limit", [](Trial& t) { t.corpus.limit = -1; }},
           {"--vocabulary", [](Trial& t) { t.corpus.vocabulary = -1; }}});
}

// Each number alone is small enough to be asked for; their products would not fit 63 bits, or no
// memory.
TEST(ValidateTrial, RefusesProductsThatNoComputerHolds) {
  const Index huge = std::numeric_limits<Index>::max();
  refuses({{"--batch", [](Trial& t) { t.schedule.batch = huge; }},
           {"--dim", [](Trial& t) { t.model.dim = huge; }},
           {"--layers", [](Trial& t) { t.model.layers = huge; }},
           {"--hidden", [](Trial& t) { t.model.hidden = huge; }},
           {"--train", [](Trial& t) { t.train_length = huge; }},
           {"--test", [](Trial& t) { t.test_lengths = {huge}; }},
           {"--test-sequences", [](Trial& t) { t.test_sequences = huge; }},
           {"--batch",
            [](Trial& t) {
              t.train_length = 1000000;
              t.schedule.batch = 1000000;
            }},
           {"--train",
            [](Trial& t) {
              t.train_length = 1000000;
              t.schedule.batch = 2;
            }},
           {"--test", [](Trial& t) {
              t.test_lengths = {1000000};
              t.test_sequences = 1;
              t.model.heads = 2;
            }}});
}

// A batch of tests is in memory at a time, not all of them.
TEST(ValidateTrial, AcceptsMoreTestSequencesThanMemoryHolds) {
  Trial trial;
  trial.test_sequences = 16000000;
  trial.test_lengths = {100, 1000000};
  EXPECT_NO_THROW(validate(trial));
}

TEST(ValidateTrial, NamesBothOptionsOfABatchThatMemoryCannotHold) {
  Trial trial;
  trial.schedule.batch = 16000000;
  trial.train_length = 100;
  expect_error(ErrorCode::kUsage, "--batch: 16000000 sequences of --train 100 have more than",
               [&] { validate(trial); });
}

TEST(TrialKey, TellsTrialsApartByEveryBit) {
  const Trial trial;
  EXPECT_EQ(trial_key(trial), trial_key(Trial{}));
  Trial other;
  other.schedule.rate = std::nextafter(trial.schedule.rate, 1.0);
  EXPECT_NE(trial_key(trial), trial_key(other));
  other = trial;
  other.test_lengths.pop_back();
  EXPECT_NE(trial_key(trial), trial_key(other));
  other = trial;
  other.corpus.inputs = {"a.txt"};
  EXPECT_NE(trial_key(trial), trial_key(other));
}

TEST(TrialKey, ForgetsSeedAndEncodingWhereAsked) {
  Trial seeded, encoded, longer;
  seeded.seed = 2;
  encoded.encoding = "rope";
  longer.schedule.steps = 801;
  const auto same = [](const Trial& trial, KeyParts parts) {
    return trial_key(trial, parts) == trial_key({}, parts);
  };
  EXPECT_FALSE(same(seeded, {}));
  EXPECT_FALSE(same(seeded, {.encoding = false}));
  EXPECT_TRUE(same(seeded, {.seed = false}));
  EXPECT_FALSE(same(encoded, {}));
  EXPECT_TRUE(same(encoded, {.encoding = false}));
  EXPECT_FALSE(same(encoded, {.seed = false}));
  EXPECT_FALSE(same(longer, {.encoding = false, .seed = false}));
}

}  // namespace
}  // namespace sextant
