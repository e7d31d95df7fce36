// SPDX-License-Identifier: Apache-2.0
#include "run/shard_choice.h"

#include <gtest/gtest.h>

#include <map>

#include "support/expect_error.h"

namespace sextant {
namespace {

Variables with(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return {};
    return found->second;
  };
}

Variables array(const std::string& id, const std::string& first, const std::string& last,
                const std::string& count, const std::string& step = "1") {
  return with({{"SLURM_ARRAY_TASK_ID", id},
               {"SLURM_ARRAY_TASK_MIN", first},
               {"SLURM_ARRAY_TASK_MAX", last},
               {"SLURM_ARRAY_TASK_COUNT", count},
               {"SLURM_ARRAY_TASK_STEP", step}});
}

TEST(ShardChoice, IsWrittenAsAPartOfAWhole) {
  EXPECT_EQ(parse_shard("--rank", "0/1"), (Shard{0, 1}));
  EXPECT_EQ(parse_shard("--rank", "6/7"), (Shard{6, 7}));
}

TEST(ShardChoice, RefusesWhatIsNoPart) {
  for (const char* text : {"", "1", "/", "1/", "/2", "-1/2", "+1/2", "1/2/3", "1/2x", "0/0", "2/2",
                           "0/1048577", "slurm_array", "1 /2"}) {
    expect_error(ErrorCode::kUsage, "--rank", [&] { parse_shard("--rank", text); });
  }
}

TEST(ShardChoice, ComesFromAJobArrayThatNeedNotStartAtZero) {
  EXPECT_EQ(parse_shard("--rank", "slurm-array", array("3", "0", "6", "7")), (Shard{3, 7}));
  EXPECT_EQ(parse_shard("--rank", "slurm-array", array("1", "1", "4", "4")), (Shard{0, 4}));
  EXPECT_EQ(parse_shard("--rank", "slurm-array", array("30", "10", "40", "4", "10")),
            (Shard{2, 4}));
}

TEST(ShardChoice, OfAnArrayWithNoMoreThanItsSizeStartsAtZero) {
  const auto bare = with({{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "4"}});
  EXPECT_EQ(parse_shard("--shard", "slurm-array", bare), (Shard{3, 4}));
  expect_error(ErrorCode::kUsage, "counts from 0", [] {
    parse_shard("--shard", "slurm-array",
                with({{"SLURM_ARRAY_TASK_ID", "4"}, {"SLURM_ARRAY_TASK_COUNT", "4"}}));
  });
}

TEST(ShardChoice, RefusesAnArrayWithGaps) {
  expect_error(ErrorCode::kUsage, "a range",
               [] { parse_shard("--rank", "slurm-array", array("5", "1", "7", "3")); });
  expect_error(ErrorCode::kUsage, "not in the range",
               [] { parse_shard("--rank", "slurm-array", array("15", "10", "40", "4", "10")); });
}

TEST(ShardChoice, ComesFromStepsOfSlurmAndFromTorchrun) {
  EXPECT_EQ(parse_shard("--rank", "slurm", with({{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "3"}})),
            (Shard{2, 3}));
  EXPECT_EQ(parse_shard("--rank", "mpirun",
                        with({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}})),
            (Shard{2, 3}));
  EXPECT_EQ(parse_shard("--rank", "mpirun", with({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}})),
            (Shard{0, 2}));
  EXPECT_EQ(parse_shard("--rank", "torchrun", with({{"RANK", "1"}, {"WORLD_SIZE", "4"}})),
            (Shard{1, 4}));
}

TEST(ShardChoice, NamesTheVariableThatIsMissingOrWrong) {
  expect_error(ErrorCode::kUsage, "SLURM_ARRAY_TASK_ID, which is not set",
               [] { parse_shard("--rank", "slurm-array", with({})); });
  expect_error(ErrorCode::kUsage, "WORLD_SIZE, but it is 'four'", [] {
    parse_shard("--rank", "torchrun", with({{"RANK", "1"}, {"WORLD_SIZE", "four"}}));
  });
  expect_error(ErrorCode::kUsage, "counts from 0", [] {
    parse_shard("--rank", "slurm", with({{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "3"}}));
  });
}

}  // namespace
}  // namespace sextant
