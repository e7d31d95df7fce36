// SPDX-License-Identifier: Apache-2.0
#include "training/reproduction.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"

namespace sextant {
namespace {

PublishedCell cell(std::string_view published, Relation relation, std::vector<Reading> readings) {
  PublishedCell result = computed_cell("a cell", "table 1", published, "a set-up", relation);
  result.readings = std::move(readings);
  return result;
}

Reading reading(double ours, std::optional<double> sd = {}, std::string condition = {}) {
  return {.condition = std::move(condition), .ours = ours, .sd = sd};
}

TEST(PrintedNumber, IsGoodToHalfItsLastDigit) {
  EXPECT_EQ(printed("0.0108").value, 0.0108);
  EXPECT_DOUBLE_EQ(printed("0.0108").half_digit, 5e-5);
  EXPECT_DOUBLE_EQ(printed("1.15e-4").half_digit, 5e-7);
  EXPECT_DOUBLE_EQ(printed("17.3980").half_digit, 5e-5) << "a last zero was printed for a reason";
  EXPECT_DOUBLE_EQ(printed("462.0").half_digit, 0.05);
}

TEST(PrintedNumber, IsExactAsAFractionOrAWholeNumber) {
  EXPECT_EQ(printed("1/256").value, 0.00390625);
  EXPECT_EQ(printed("1/256").half_digit, 0.0);
  EXPECT_EQ(printed("41").value, 41.0);
  EXPECT_EQ(printed("41").half_digit, 0.0);
}

TEST(Verdict, FollowsThePrintedPrecision) {
  EXPECT_EQ(verdict(cell("0.0108", Relation::kEquals, {reading(0.01084)})), "reproduced");
  EXPECT_EQ(verdict(cell("0.0108", Relation::kEquals, {reading(0.01086)})), "not reproduced");
  EXPECT_EQ(verdict(cell("41", Relation::kEquals, {reading(41.0 + 1e-10)})), "reproduced");
  EXPECT_EQ(verdict(cell("41", Relation::kEquals, {reading(41.001)})), "not reproduced");
}

TEST(Verdict, GrantsTwoDeviationsOverSeeds) {
  EXPECT_EQ(verdict(cell("0.0108", Relation::kEquals, {reading(0.0126, 0.00091)})), "reproduced");
  EXPECT_EQ(verdict(cell("0.0108", Relation::kEquals, {reading(0.0126, 0.00089)})),
            "not reproduced");
}

TEST(Verdict, HoldsBoundsFromTheirSide) {
  EXPECT_EQ(verdict(cell("8", Relation::kAtMost, {reading(-100.0)})), "reproduced");
  EXPECT_EQ(verdict(cell("8", Relation::kAtMost, {reading(8.1)})), "not reproduced");
  EXPECT_EQ(verdict(cell("8", Relation::kAtMost, {reading(8.1, 0.06)})), "reproduced");
  EXPECT_EQ(verdict(cell("8", Relation::kAtLeast, {reading(100.0)})), "reproduced");
  EXPECT_EQ(verdict(cell("8", Relation::kAtLeast, {reading(7.9)})), "not reproduced");
}

TEST(Verdict, GivesNoNoiseAwayToAnOrder) {
  EXPECT_EQ(verdict(cell("1", Relation::kBelow, {reading(0.99)})), "reproduced");
  EXPECT_EQ(verdict(cell("1", Relation::kBelow, {reading(1.0)})), "not reproduced");
  EXPECT_EQ(verdict(cell("1", Relation::kBelow, {reading(1.01, 0.5)})), "not reproduced");
}

TEST(Verdict, NamesTheConditionOfTheFirstReadingThatAgrees) {
  const PublishedCell found =
      cell("0.5", Relation::kEquals,
           {reading(0.9), reading(0.5, {}, "it is re-scaled"), reading(0.5, {}, "it is clamped")});
  EXPECT_EQ(verdict(found), "reproduced only if it is re-scaled");
  ASSERT_NE(decisive(found), nullptr);
  EXPECT_EQ(decisive(found)->ours, 0.5);
}

TEST(Verdict, PrefersTheWordsOfTheSource) {
  EXPECT_EQ(
      verdict(cell("0.5", Relation::kEquals, {reading(0.5), reading(0.5, {}, "it is re-scaled")})),
      "reproduced");
}

TEST(Verdict, BlamesASetUpThatIsNotStated) {
  PublishedCell open = cell("0.5", Relation::kEquals, {reading(0.9)});
  open.stated = false;
  EXPECT_EQ(verdict(open), "set-up not stated");
  open.readings = {reading(0.5)};
  EXPECT_EQ(verdict(open), "reproduced");
  open.published.reset();
  EXPECT_EQ(verdict(open), "set-up not stated");
}

TEST(Verdict, SaysWhyNothingWasRun) {
  PublishedCell none = cell("0.5", Relation::kEquals, {{}});
  none.not_run = "needs the lab";
  EXPECT_EQ(verdict(none), "not run: needs the lab");
  none.not_run.clear();
  none.readings[0].fault = "rope seed 1: it broke";
  EXPECT_EQ(verdict(none), "not run: rope seed 1: it broke");
  EXPECT_EQ(decisive(none), nullptr);
}

// A table of two trained cells: one of a trial alone, one of a difference of the same trial to
// another and to a baseline.
Trial trial(std::string_view encoding) {
  Trial result;
  result.encoding = encoding;
  result.train_length = 4;
  result.test_lengths = {4};
  return result;
}

std::vector<PublishedCell> trained_cells() {
  PublishedCell alone = cell("0.5", Relation::kEquals, {});
  alone.readings = {{.trained = TrainedValue{.trial = trial("rope"), .length = 4}},
                    {.condition = "it is slow",
                     .trained = TrainedValue{.trial = trial("none"), .length = 4},
                     .quick = false}};
  PublishedCell both = cell("0", Relation::kBelow, {});
  both.cell = "another cell";
  both.readings = {
      {.trained = TrainedValue{.trial = trial("rope"), .against = trial("alibi"), .length = 4},
       .quick = false}};
  return {alone, both};
}

const ReproductionRegistry::Entry kTrained = {
    .info = {.name = "trained", .source = "nobody", .method = "none"}, .cells = trained_cells};

void give(TrialOutcome& outcome, double loss) {
  outcome.result =
      TrialResult{.trial = outcome.trial, .evaluations = {{.length = 4, .loss = loss}}};
}

TEST(Planned, LeavesOutWhatIsNotQuick) {
  const Reproduction quick = planned(kTrained, {.quick = true}, true);
  EXPECT_EQ(quick.left_out, (std::vector<std::string>{"a cell, if it is slow", "another cell"}));
  EXPECT_EQ(quick.cells[0].readings.size(), 1U);
  EXPECT_EQ(verdict(quick.cells[1]), "not run: left out by --quick");
  EXPECT_TRUE(planned(kTrained, {}, true).left_out.empty());
}

TEST(Planned, NeedsTheLabForTrainedCells) {
  for (const PublishedCell& each : planned(kTrained, {}, false).cells)
    EXPECT_EQ(verdict(each), "not run: needs the lab: sextant-lab is not there");
}

TEST(TrialsOf, HasEachTrialOnceForEverySeed) {
  const Reproduction tables[] = {planned(kTrained, {}, true), planned(kTrained, {}, true)};
  const std::vector<TrialOutcome> trials = trials_of(tables, {.seed = 7}, 2);
  ASSERT_EQ(trials.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(trials[i].trial.seed, i < 3 ? 7U : 8U);
  EXPECT_EQ(trials[0].trial.encoding, "rope");
  EXPECT_EQ(trials[1].trial.encoding, "none");
  EXPECT_EQ(trials[2].trial.encoding, "alibi");
}

TEST(Finish, TakesMeansAndDeviationsOverSeedsAndDifferencesSeedBySeed) {
  Reproduction table = planned(kTrained, {}, true);
  std::vector<TrialOutcome> trials = trials_of(std::span(&table, 1), {}, 2);
  for (TrialOutcome& each : trials) {
    const double seed = static_cast<double>(each.trial.seed);
    give(each, each.trial.encoding == "rope" ? 0.4 * seed : 0.1 + 0.4 * seed);
  }
  finish(table, trials, {});
  const Reading& alone = table.cells[0].readings[0];
  EXPECT_NEAR(alone.ours.value(), 0.6, 1e-12);
  EXPECT_NEAR(alone.sd.value(), 0.4 / std::sqrt(2.0), 1e-12);
  const Reading& difference = table.cells[1].readings[0];
  EXPECT_NEAR(difference.ours.value(), -0.1, 1e-12);
  EXPECT_NEAR(difference.sd.value(), 0.0, 1e-12);
}

TEST(Finish, CountsTheSeedsOfANumberAndNamesWhatIsMissing) {
  Reproduction table = planned(kTrained, {}, true);
  std::vector<TrialOutcome> trials = trials_of(std::span(&table, 1), {}, 3);
  for (TrialOutcome& each : trials) {
    const bool broken = each.trial.encoding == "alibi" && each.trial.seed == 2;
    if (broken) each.error = "it broke";
    if (!broken) give(each, 0.5);
  }
  finish(table, trials, {});
  EXPECT_EQ(table.cells[0].readings[0].seeds, 3);
  EXPECT_EQ(table.cells[0].readings[0].fault, "");
  const Reading& difference = table.cells[1].readings[0];
  EXPECT_EQ(difference.seeds, 2) << "seeds of both";
  EXPECT_EQ(difference.ours, 0.0);
  EXPECT_EQ(difference.fault, "alibi seed 2: it broke");
}

TEST(Finish, SaysWhichTrialFailed) {
  Reproduction table = planned(kTrained, {}, true);
  std::vector<TrialOutcome> trials = trials_of(std::span(&table, 1), {}, 1);
  for (TrialOutcome& each : trials) each.error = "it broke";
  finish(table, trials, {});
  EXPECT_EQ(verdict(table.cells[0]), "not run: rope seed 1: it broke");
}

TEST(ReproductionRegistry, SuggestsTheNearestName) {
  expect_error(ErrorCode::kUsage, "did you mean 'jordan-rope'",
               [] { reproductions().find("jordan-rop"); });
}

}  // namespace
}  // namespace sextant
