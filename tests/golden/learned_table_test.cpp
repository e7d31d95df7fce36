// SPDX-License-Identifier: Apache-2.0
// Trained tables of positions. SEXTANT_DATA names the folder that holds them; they are not part of
// this project. What is known of them: GPT-2's last row got next to no gradient, and the rows of
// ViT-tiny are a class token and a grid of 14 x 14.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "model/table_file.h"

namespace sextant {
namespace {

class LearnedTableGolden : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("SEXTANT_DATA");
    if (folder == nullptr) GTEST_SKIP() << "SEXTANT_DATA is not set";
    folder_ = std::filesystem::path(folder) / "position_tables";
  }
  LearnedTable read(const char* file) const {
    return read_learned_table((folder_ / file).string());
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(LearnedTableGolden, OnlyTheLastRowOfGpt2IsUntrained) {
  LearnedTable table = read("gpt2_small_wpe_1024x768.npy");
  EXPECT_EQ(table.dtype, "f32");
  const TableFacts facts = table_facts(table);
  ASSERT_EQ(facts.untrained.size(), 1U);
  EXPECT_EQ(facts.untrained[0].row, 1023);
  EXPECT_EQ(facts.untrained[0].sign, UntrainedSign::kSmall);
  EXPECT_EQ(facts.greatest.row, 0);
  EXPECT_GT(facts.neighbour_median.value_or(0.0), 0.99);
  ASSERT_TRUE(facts.neighbour_least.has_value());
  EXPECT_EQ(facts.neighbour_least->row, 0);
  ASSERT_TRUE(facts.geometry.has_value());
  EXPECT_LT(facts.ranks.share90, 64);
}

TEST_F(LearnedTableGolden, AllRowsOfVitAreTrainedAndItsGridIsAWave) {
  LearnedTable table = read("vit_tiny_patch16_224_197x192.npy");
  const TableFacts facts = table_facts(table);
  EXPECT_TRUE(facts.untrained.empty());
  ASSERT_TRUE(facts.neighbour_least.has_value());
  EXPECT_EQ(facts.neighbour_least->row, 0);  // the class token beside the first patch
  ASSERT_TRUE(facts.geometry.has_value());
  bool has_grid = false;
  for (const Wave& wave : facts.geometry->waves)
    has_grid = has_grid || std::lround(wave.wavelength) == 14;
  EXPECT_TRUE(has_grid);
}

}  // namespace
}  // namespace sextant
