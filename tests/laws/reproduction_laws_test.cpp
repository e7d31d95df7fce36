// SPDX-License-Identifier: Apache-2.0
// Laws that every table of published numbers obeys. A new one is tested here without a new line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "sextant/task.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

class ReproductionLaws : public testing::TestWithParam<ReproductionRegistry::Entry> {
 protected:
  const ReproductionInfo& info() const { return GetParam().info; }
};

TEST_P(ReproductionLaws, IsDescribedInFull) {
  EXPECT_TRUE(std::regex_match(std::string(info().name), std::regex("[a-z][a-z0-9-]*")));
  EXPECT_FALSE(info().source.empty());
  EXPECT_FALSE(info().method.empty());
  EXPECT_FALSE(info().method.ends_with('.')) << info().method;
}

TEST_P(ReproductionLaws, HasCellsWithPlaceSetUpAndReadings) {
  const std::vector<PublishedCell> cells = GetParam().cells();
  ASSERT_FALSE(cells.empty());
  std::set<std::string> names;
  for (const PublishedCell& cell : cells) {
    EXPECT_TRUE(names.insert(cell.cell).second) << cell.cell << " stands twice";
    EXPECT_FALSE(cell.cell.empty());
    EXPECT_FALSE(cell.place.empty()) << cell.cell;
    EXPECT_FALSE(cell.setup.empty()) << cell.cell;
    ASSERT_FALSE(cell.readings.empty()) << cell.cell;
    EXPECT_TRUE(cell.readings.front().condition.empty())
        << cell.cell << ": the words of the source come first";
    for (std::size_t i = 1; i < cell.readings.size(); ++i)
      EXPECT_FALSE(cell.readings[i].condition.empty()) << cell.cell;
    EXPECT_TRUE(cell.published || !cell.stated) << cell.cell << ": no number and yet stated";
    EXPECT_GE(cell.half_digit, 0.0);
  }
}

TEST_P(ReproductionLaws, AsksForTrialsThatExist) {
  const Reproduction table = planned(GetParam(), {}, true);
  for (const TrialOutcome& each : trials_of(std::span(&table, 1), {}, 1)) validate(each.trial);
  for (const PublishedCell& cell : table.cells) {
    for (const Reading& reading : cell.readings) {
      if (!reading.trained) continue;
      const std::vector<Index>& lengths = reading.trained->trial.test_lengths;
      EXPECT_NE(std::ranges::find(lengths, reading.trained->length), lengths.end()) << cell.cell;
    }
  }
}

// Without data and without the lab: what needs neither has a number, the rest says what it needs.
TEST_P(ReproductionLaws, RunsItsQuickPart) {
  const ReproductionContext context{.quick = true};
  Reproduction table = planned(GetParam(), context, false);
  finish(table, {}, context);
  for (const PublishedCell& cell : table.cells) {
    const std::string says = verdict(cell);
    if (!cell.not_run.empty()) {
      EXPECT_EQ(decisive(cell), nullptr) << cell.cell;
      EXPECT_TRUE(says.starts_with("not run: needs ") || says == "not run: left out by --quick")
          << says;
    } else if (cell.published) {
      for (const Reading& reading : cell.readings) {
        ASSERT_TRUE(reading.ours) << cell.cell;
        EXPECT_TRUE(std::isfinite(*reading.ours)) << cell.cell;
      }
    } else {
      EXPECT_EQ(says, "set-up not stated") << cell.cell;
    }
  }
}

TEST_P(ReproductionLaws, StandsInTheManual) {
  std::ifstream file(SEXTANT_SOURCE_DIR "/docs/reproduce.md");
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(manual.find("`" + std::string(info().name) + "`"), std::string::npos);
}

std::string reproduction_name(const testing::TestParamInfo<ReproductionRegistry::Entry>& info) {
  std::string name(info.param.info.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ReproductionLaws,
                         testing::ValuesIn(reproductions().entries().begin(),
                                           reproductions().entries().end()),
                         reproduction_name);

TEST(Reproductions, HaveNamesOfTheirOwn) {
  const std::vector<std::string> names = reproductions().names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

}  // namespace
}  // namespace sextant
