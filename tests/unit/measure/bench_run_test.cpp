// SPDX-License-Identifier: Apache-2.0
#include "measure/bench_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>

#include "base/check.h"
#include "measure/plain_loops.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

// A clock that only work advances, and by a little each reading.
double now = 0.0;
double made_clock() { return now += 1e-9; }

// Work that writes down its letter and takes some seconds.
struct Diary {
  std::string text = {};
  std::function<void()> work(char letter, double seconds) {
    return [this, letter, seconds] {
      text += letter;
      now += seconds;
    };
  }
};

BenchCase made_case(Diary& diary, const std::string& fault, std::vector<SpeedGoal> goals = {}) {
  return {.name = "made",
          .measures = "nothing",
          .goals = std::move(goals),
          .bytes = [](const BenchSize&) { return 1000.0; },
          .prepare =
              [&diary, fault](const BenchSize&) {
                return BenchWork{.size = "one",
                                 .amount = 50.0,
                                 .unit = "things",
                                 .run = diary.work('o', 2.0),
                                 .fault = [fault] { return fault; },
                                 .plain = {"plain", diary.work('p', 1.0)},
                                 .others = {{"slow", diary.work('s', 8.0)}}};
              }};
}

TEST(BenchRow, NeverTimesAWrongAnswer) {
  Diary diary;
  const BenchCase liar = made_case(diary, "2 + 2 should be 4");
  const BenchRow row = bench_row(liar, {.clock = made_clock});
  EXPECT_EQ(diary.text, "o") << "one run for the answer, none for the time";
  EXPECT_EQ(row.error, "made: wrong answer, not timed: 2 + 2 should be 4");
  EXPECT_TRUE(row.rivals.empty());
  EXPECT_EQ(row.repeats, 0);
  EXPECT_EQ(bench_status(std::span(&row, 1)), 7);
  EXPECT_FALSE(judged(row, {"R1", "plain", 0.1}, {}).met.has_value());
}

TEST(BenchRow, TimesARightAnswerInTurnsWithItsRivals) {
  Diary diary;
  const BenchCase honest = made_case(diary, "");
  const BenchRow row = bench_row(honest, {.repeats = 3, .clock = made_clock});
  EXPECT_EQ(diary.text, "oopsopsops");
  EXPECT_EQ(row.error, "");
  EXPECT_EQ(row.repeats, 3);
  EXPECT_NEAR(row.ours.shortest, 2.0, 1e-6);
  EXPECT_NEAR(row.ours.median, 2.0, 1e-6);
  ASSERT_EQ(row.rivals.size(), 2U);
  EXPECT_EQ(row.rivals[0].name, "plain");
  EXPECT_NEAR(row.rivals[0].shortest, 1.0, 1e-6);
  EXPECT_NEAR(row.per_second(), 25.0, 1e-6);
  EXPECT_NEAR(speed_over(row, "slow").value(), 4.0, 1e-6);
  EXPECT_FALSE(speed_over(row, "torch").has_value());
  EXPECT_EQ(bench_status(std::span(&row, 1)), 0);
}

TEST(BenchRow, RunsShortWorkManyTimesForOneTime) {
  int runs = 0;
  const auto blink = [&runs] {
    ++runs;
    now += 1e-6;
  };
  const BenchCase quick = {.name = "blink",
                           .bytes = [](const BenchSize&) { return 0.0; },
                           .prepare =
                               [&](const BenchSize&) {
                                 return BenchWork{.amount = 1.0,
                                                  .run = blink,
                                                  .fault = [] { return std::string(); },
                                                  .plain = {"plain", [] { now += 1.0; }}};
                               }};
  const BenchRow row = bench_row(quick, {.repeats = 2, .clock = made_clock});
  EXPECT_EQ(row.error, "");
  EXPECT_GE(runs, 400) << "a time of 1 us is no time";
  EXPECT_NEAR(row.ours.shortest, 1e-6, 1e-9);
}

TEST(BenchRow, RefusesClocksThatCannotTellTimesApart) {
  Diary diary;
  const BenchCase honest = made_case(diary, "");
  const BenchRow standing = bench_row(honest, {.clock = [] { return 1.0; }});
  EXPECT_NE(standing.error.find("does not advance"), std::string::npos) << standing.error;
  EXPECT_EQ(bench_status(std::span(&standing, 1)), 5);

  const BenchCase nothing = {.name = "nothing",
                             .bytes = [](const BenchSize&) { return 0.0; },
                             .prepare =
                                 [](const BenchSize&) {
                                   return BenchWork{.amount = 1.0,
                                                    .run = [] {},
                                                    .fault = [] { return std::string(); },
                                                    .plain = {"plain", [] {}}};
                                 }};
  // Each reading is a step of its own.
  const BenchRow coarse = bench_row(nothing, {.clock = [] { return now += 1.0; }});
  EXPECT_NE(coarse.error.find("too coarse"), std::string::npos) << coarse.error;
  EXPECT_EQ(bench_status(std::span(&coarse, 1)), 5);
}

TEST(BenchRow, ChecksTheMemoryBeforeAnythingIsMade) {
  bool made = false;
  const BenchCase large = {.name = "large",
                           .bytes = [](const BenchSize& size) { return size.quick ? 1e6 : 1e12; },
                           .prepare =
                               [&made](const BenchSize&) {
                                 made = true;
                                 return BenchWork{};
                               }};
  const BenchRow row = bench_row(large, {.memory = 2'000'000});
  EXPECT_FALSE(made);
  EXPECT_EQ(row.error, "large: needs 1000000.0 MB of memory, have 1.6 MB; --quick needs less");
  EXPECT_EQ(bench_status(std::span(&row, 1)), 5);
}

TEST(BenchRow, TurnsWhatACaseThrowsIntoARow) {
  BenchCase broken = {.name = "broken",
                      .bytes = [](const BenchSize&) { return 0.0; },
                      .prepare = [](const BenchSize&) -> BenchWork {
                        fail(ErrorCode::kUsage, "rope", "head_dim must be even");
                      }};
  const BenchRow usage = bench_row(broken, {});
  EXPECT_EQ(usage.error, "rope: head_dim must be even");
  broken.prepare = [](const BenchSize&) -> BenchWork { throw std::bad_alloc(); };
  const BenchRow memory = bench_row(broken, {});
  EXPECT_NE(memory.error.find("no memory"), std::string::npos);

  const std::vector<BenchRow> both = {usage, memory};
  EXPECT_EQ(bench_status(both), 2) << "the first error";
  const std::vector<BenchRow> worst = {memory, {.error = "wrong"}};
  EXPECT_EQ(bench_status(worst), 7) << "a wrong answer counts more";
}

TEST(Goals, AreJudgedByTheShortestTimes) {
  Diary diary;
  const BenchCase honest = made_case(diary, "");
  BenchRow row = bench_row(honest, {.repeats = 1, .clock = made_clock});
  row.peers = {{.library = "torch", .shortest = 20.0, .median = 30.0},
               {.library = "numpy", .error = "no memory"}};
  EXPECT_EQ(judged(row, {"R", "plain", 0.4}, {}).met, true);
  EXPECT_EQ(judged(row, {"R", "plain", 0.6}, {}).met, false);
  EXPECT_EQ(judged(row, {"R", "torch", 9.0}, {}).met, true);
  EXPECT_EQ(judged(row, {"R", "torch", 11.0}, {}).met, false);
  EXPECT_EQ(judged(row, {"C", "", 24.0}, {}).met, true) << "25 things in a second";
  EXPECT_EQ(judged(row, {"C", "", 26.0}, {}).met, false);
  for (const GoalVerdict& open :
       {judged(row, {"R", "numpy", 1.0}, {}), judged(row, {"R", "plain", 0.4}, {.quick = true}),
        judged(row, {"R", "plain", 0.4}, {.threads = 2})}) {
    EXPECT_FALSE(open.met.has_value());
    EXPECT_NE(open.reason, "");
  }
}

TEST(BenchRegistry, ChoosesByNameAndByTheWordsANameBeginsWith) {
  BenchRegistry cases;
  for (const char* name : {"rotary-f32", "rotary-table", "rotaryish", "stress"})
    cases.add({.name = name});
  const auto names = [&](std::vector<std::string> words) {
    std::vector<std::string> found;
    for (const BenchCase* each : cases.chosen(words)) found.emplace_back(each->name);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({}).size(), 4U);
  EXPECT_EQ(names({"rotary"}), (Names{"rotary-f32", "rotary-table"}));
  EXPECT_EQ(names({"stress", "rotary-table", "rotary"}),
            (Names{"rotary-f32", "rotary-table", "stress"}));
  expect_error(ErrorCode::kUsage, "did you mean 'stress'?", [&] { names({"stres"}); });
  expect_error(ErrorCode::kUsage, "no case ''", [&] { names({""}); });
}

}  // namespace
}  // namespace sextant
