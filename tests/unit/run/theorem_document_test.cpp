// SPDX-License-Identifier: Apache-2.0
#include "run/theorem_document.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <new>
#include <set>

#include "base/check.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr std::string_view kConditions[] = {"none"};
constexpr TheoremInfo kTrue = {.id = "A", .name = "one_is_one", .conditions = kConditions};
constexpr TheoremInfo kBroken = {.id = "B", .name = "broken", .conditions = kConditions};

TheoremCheck hold(const TheoremOptions& options) {
  TheoremCheck check{.verdict = ClaimVerdict::kHolds, .reason = "1 is 1", .decisive = 1};
  check.findings = {{.part = "rope",
                     .quantity = "norm",
                     .observed = std::numeric_limits<double>::quiet_NaN(),
                     .verdict = ClaimVerdict::kNotTestable,
                     .remark = "not applicable: no input site"},
                    {.part = "alibi",
                     .quantity = "norm",
                     .observed = static_cast<double>(options.seed),
                     .interval = std::array{0.5, kInfinity},
                     .lower = 0.25,
                     .bound = kInfinity},
                    {.part = "sinusoidal",
                     .quantity = "norm",
                     .observed = 7.0,
                     .verdict = ClaimVerdict::kNotTestable,
                     .remark = "not applicable to the claim, measured all the same"}};
  check.figures = {{.title = "t", .x_label = "x", .y_label = "y", .curves = {{"c", {}, {}}}}};
  for (int i = 0; i < 1001; ++i) {
    check.figures[0].curves[0].x.push_back(i);
    check.figures[0].curves[0].y.push_back(i == 0 ? kInfinity : 1.0 / 3.0);
  }
  return check;
}

TheoremCheck break_down(const TheoremOptions&) {
  fail(ErrorCode::kNumeric, "broken", "row 3 is not finite");
}

const std::array<TheoremRegistry::Entry, 3> kEntries = {
    {{&kTrue, hold}, {&kBroken, break_down}, {&kTrue, hold}}};

TEST(CheckTheorems, GoesOnAfterOneThatCannotRun) {
  for (const Index threads : {1, 2, 8}) {
    const std::vector<CheckedTheorem> checked = check_theorems(kEntries, {}, threads);
    ASSERT_EQ(checked.size(), 3U);
    EXPECT_FALSE(checked[0].error);
    EXPECT_EQ(checked[1].info, &kBroken);
    EXPECT_NE(checked[1].error.value_or("").find("row 3"), std::string::npos);
    EXPECT_EQ(checked[1].check.verdict, ClaimVerdict::kNotTestable);
    EXPECT_EQ(checked[2].check.verdict, ClaimVerdict::kHolds);
  }
}

TEST(CheckTheorems, GoesOnWithoutMemory) {
  const TheoremRegistry::Entry entry{
      &kBroken, [](const TheoremOptions&) -> TheoremCheck { throw std::bad_alloc(); }};
  const CheckedTheorem checked = check_theorems(std::span(&entry, 1), {}, 1).front();
  EXPECT_EQ(checked.error, "not enough memory");
  EXPECT_EQ(checked.check.reason, "the check could not run: not enough memory");
}

TEST(CheckTheorems, ReportsEachCheckOnce) {
  std::set<std::size_t> done;
  check_theorems(kEntries, {}, 1, [&](std::size_t count, std::size_t total, const TheoremInfo&) {
    EXPECT_EQ(total, 3U);
    done.insert(count);
  });
  EXPECT_EQ(done, (std::set<std::size_t>{1, 2, 3}));
}

TEST(CheckTheorems, RefusesBadOptionsBeforeAnythingRuns) {
  expect_error(ErrorCode::kUsage, "--to", [] { check_theorems(kEntries, {.to = 10}, 1); });
}

TEST(ChosenTheorems, AreInTheOrderAskedForAndEachOnce) {
  const std::vector<std::string> ids = {"T12", "t7", "ALiBi_Extrapolation", "T12"};
  const std::vector<TheoremRegistry::Entry> chosen = chosen_theorems(ids);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0].info->id, "T12");
  EXPECT_EQ(chosen[1].info->id, "T7");
  EXPECT_EQ(chosen_theorems({}).size(), theorems().entries().size());
}

TEST(TheoremJson, HasTheNumbersOfTheDecisiveFinding) {
  const Json json = theorem_json(check_theorems(kEntries, {.seed = 3}, 1)[0], FigurePoints::kAll);
  EXPECT_EQ(json["verdict"], "holds");
  EXPECT_EQ(json["part"], "alibi");
  EXPECT_EQ(json["observed"], 3.0);
  EXPECT_EQ(json["lower"], 0.25);
  EXPECT_EQ(json["note"], "docs/math/one_is_one.md");
  EXPECT_FALSE(json.contains("error"));
}

TEST(TheoremJson, IsNullWhereANumberIsNotFinite) {
  const Json json = theorem_json(check_theorems(kEntries, {}, 1)[0], FigurePoints::kAll);
  EXPECT_TRUE(json["bound"].is_null());
  EXPECT_EQ(json["interval"], Json::parse("[0.5, null]"));
  EXPECT_TRUE(json["findings"][0]["observed"].is_null());
  EXPECT_EQ(json["findings"][0]["verdict"], "not testable");
  EXPECT_EQ(json["findings"][2]["observed"], 7.0);
  EXPECT_TRUE(json["figures"][0]["curves"][0]["y"][0].is_null());
}

TEST(TheoremJson, GivesTheReasonBesideNotTestable) {
  const Json json = theorem_json(check_theorems(kEntries, {}, 1)[1], FigurePoints::kAll);
  const auto verdict = json["verdict"].get<std::string>();
  EXPECT_EQ(verdict, "not testable: " + json["reason"].get<std::string>());
  EXPECT_NE(verdict.find("row 3 is not finite"), std::string::npos);
  EXPECT_TRUE(json["observed"].is_null());
  EXPECT_TRUE(json.contains("error"));
}

TEST(TheoremJson, ThinsCurvesAndKeepsTheirEnds) {
  const CheckedTheorem checked = check_theorems(kEntries, {}, 1)[0];
  const Json all = theorem_json(checked, FigurePoints::kAll)["figures"][0]["curves"][0];
  EXPECT_EQ(all["x"].size(), 1001U);
  EXPECT_EQ(all["y"][1], 1.0 / 3.0);
  const Json few = theorem_json(checked, FigurePoints::kThinned)["figures"][0]["curves"][0];
  EXPECT_EQ(few["x"].size(), kMostFigurePoints);
  EXPECT_EQ(few["y"].size(), kMostFigurePoints);
  EXPECT_EQ(few["x"].front(), 0.0);
  EXPECT_EQ(few["x"].back(), 1000.0);
  EXPECT_EQ(few["y"].back(), 0.33333);
}

}  // namespace
}  // namespace sextant
