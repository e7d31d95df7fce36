// SPDX-License-Identifier: Apache-2.0
// What --resume of sextant train goes on with, and what it refuses to replace.
#include <nlohmann/json.hpp>

#include "support/fake_lab.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

// The trial ENCODING:SEED of STOPPED stops its parent.
constexpr const char* kInterruptedLab = R"sh(
if [ "$encoding:$seed" = "$STOPPED" ]; then kill -TERM $PPID; exec sleep 5; fi
evaluations='{"length": 4, "loss": 0.5, "accuracy": 0.5, "loss_by_position": []}'
)sh";

class TrainResume : public WithFakeLab {
 protected:
  TrainResume() : WithFakeLab(kInterruptedLab) {}
  CommandResult train(const Words& more, const std::string& variable = "NOTHING=",
                      const std::string& task = "running_sum") const {
    Words words = {"train", task, "--train", "4", "--test", "4", "--jobs", "1", "-o", output()};
    words.insert(words.end(), more.begin(), more.end());
    return sextant_command(words, environment(variable));
  }
  void expect_other_run(const CommandResult& result, const std::string& part) const {
    EXPECT_EQ(result.status, 9) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
};

TEST_F(TrainResume, RefusesAnotherTaskOrSetUp) {
  ASSERT_EQ(train({"--encodings", "none,rope", "--seeds", "2"}).status, 0);
  const std::string before = content_of(folder_ / "out/train.json");
  expect_other_run(train({"--encodings", "none", "--resume"}, "NOTHING=", "copy"),
                   R"(task is "running_sum" there and "copy" here)");
  expect_other_run(train({"--encodings", "none", "--resume", "--rate", "0.01"}),
                   "schedule.rate is 0.001 there and 0.01 here");
  expect_other_run(train({"--encodings", "none", "--resume", "--test-sequences", "9"}),
                   "test_sequences is 500 there and 9 here");
  EXPECT_EQ(content_of(folder_ / "out/train.json"), before);
  EXPECT_EQ(runs(), 4) << "nothing was trained";
}

TEST_F(TrainResume, LooksIntoTheResultsOfTheFolderBeforeTheFirstTrial) {
  std::filesystem::create_directory(folder_ / "out");
  folder_.write("out/results.jsonl", "{\"analysis\":5}\n{garbage\n");
  const CommandResult result = train({});
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.err.find("results.jsonl: line 2"), std::string::npos) << result.err;
  EXPECT_EQ(runs(), 0);
}

TEST_F(TrainResume, TakesOtherEncodingsAndSeeds) {
  ASSERT_EQ(train({"--encodings", "none,rope", "--seeds", "2"}).status, 0);
  const CommandResult more = train(
      {"--encodings", "rope,alibi", "--seeds", "3", "--against", "rope", "--resume", "--json"});
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(runs(), 4 + 4) << "a third seed of rope, three of alibi";
  const auto json = nlohmann::json::parse(more.out);
  EXPECT_EQ(json["options"]["encodings"], (nlohmann::json{"rope", "alibi"})) << "what was asked";
  EXPECT_EQ(json["rows"].size(), 6U);
  EXPECT_EQ(train({"--encodings", "none,rope", "--seeds", "2", "--resume"}).status, 0);
  EXPECT_EQ(runs(), 8) << "none is still there";
}

TEST_F(TrainResume, KnowsAStoppedRunByItsTrials) {
  ASSERT_EQ(train({"--encodings", "none,rope", "--seeds", "1"}, "STOPPED=rope:1").status, 8);
  expect_other_run(train({"--encodings", "none,rope", "--seeds", "1", "--dim", "32", "--resume"}),
                   "model.dim is 64 there and 32 here");
  EXPECT_EQ(train({"--encodings", "none,rope", "--seeds", "1", "--resume"}).status, 0);
}

TEST_F(TrainResume, GoesOnWithARunThatReplacedAnother) {
  const Words small = {"--encodings", "none,rope", "--seeds", "1", "--dim", "32"};
  const auto with = [&small](const std::string& word) {
    Words words = small;
    words.push_back(word);
    return words;
  };
  ASSERT_EQ(train({"--encodings", "none,rope", "--seeds", "1"}).status, 0);
  ASSERT_EQ(train(with("--force"), "STOPPED=rope:1").status, 8);
  const CommandResult resumed = train(with("--resume"));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(runs(), 2 + 3);
}

}  // namespace
}  // namespace sextant
