// SPDX-License-Identifier: Apache-2.0
// sextant under a launcher of MPI, without MPI: a script stands for sextant-mpi.
#include <gtest/gtest.h>

#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

CommandOptions with_variables(const std::vector<std::string>& variables) {
  CommandOptions options;
  options.environment.insert(options.environment.end(), variables.begin(), variables.end());
  return options;
}

class HandOver : public testing::Test {
 protected:
  HandOver() {
    const auto script = folder_.write("echo.sh", "#!/bin/sh\necho \"$@\"\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    program_ = "SEXTANT_MPI=" + script.string();
  }

  // What is printed for `arguments` under these variables.
  std::string printed(const std::vector<std::string>& arguments,
                      std::vector<std::string> variables) const {
    variables.push_back(program_);
    return sextant_command(arguments, with_variables(variables)).out;
  }

  TemporaryDirectory folder_;
  std::string program_;
};

TEST_F(HandOver, GivesVerbsThatTakeRanksToTheProgramWithTheirArguments) {
  const std::vector<std::string> arguments = {"--seed", "3", "score", "a b.tsv", "--bogus"};
  const std::string same = "--seed 3 score a b.tsv --bogus\n";
  EXPECT_EQ(printed(arguments, {"OMPI_COMM_WORLD_SIZE=2"}), same);
  EXPECT_EQ(printed(arguments, {"PMI_SIZE=2", "PMI_RANK=0"}), same);
  EXPECT_EQ(printed(arguments, {"PMIX_RANK=1", "SLURM_NTASKS=2"}), same);
  for (const char* verb : {"report", "geometry", "fit"})
    EXPECT_EQ(printed({verb}, {"OMPI_COMM_WORLD_SIZE=2"}), std::string(verb) + "\n");
}

TEST_F(HandOver, LeavesOneProcessAndOtherVerbsAsTheyAre) {
  const std::string version = sextant_command({"--version"}).out;
  EXPECT_EQ(printed({"--version"}, {"OMPI_COMM_WORLD_SIZE=2"}), version);
  const std::string help = sextant_command({"score", "--help"}).out;
  EXPECT_EQ(printed({"score", "--help"}, {}), help);
  EXPECT_EQ(printed({"score", "--help"}, {"OMPI_COMM_WORLD_SIZE=1"}), help);
  EXPECT_EQ(printed({"score", "--help"}, {"SLURM_NTASKS=2"}), help);  // without PMI no ranks
  EXPECT_EQ(printed({"encodings", "--json"}, {"OMPI_COMM_WORLD_SIZE=2"}),
            sextant_command({"encodings", "--json"}).out);
}

// As srun starts tasks without PMIx: each is alone and does all of it.
TEST_F(HandOver, SaysThatTasksAreApart) {
  const auto told = [](const char* task) {
    return sextant_command({"geometry", "synthetic:drift"},
                           with_variables({"SLURM_STEP_NUM_TASKS=3", "SLURM_NTASKS=3",
                                           std::string("SLURM_PROCID=") + task}))
        .err;
  };
  EXPECT_NE(told("0").find("note: srun started 3 tasks without PMIx"), std::string::npos);
  EXPECT_EQ(told("1").find("srun"), std::string::npos);
}

TEST_F(HandOver, SaysWhatIsMissing) {
  expect_failure(4, "is this program, not sextant-mpi", {"report"},
                 with_variables({"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=0",
                                 std::string("SEXTANT_MPI=") + SEXTANT_BINARY}));
  expect_failure(4, "SEXTANT_MPI: '/nowhere/sextant-mpi' is no program", {"report"},
                 with_variables({"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=0",
                                 "SEXTANT_MPI=/nowhere/sextant-mpi"}));
}

}  // namespace
}  // namespace sextant
