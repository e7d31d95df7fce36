// SPDX-License-Identifier: Apache-2.0
#include "run/slurm_script.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/run_command.h"

namespace sextant {
namespace {

TEST(ShellWord, IsReadBackByAShell) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  for (const std::string& text :
       {std::string(), std::string("plain-1.txt"), std::string("two words"), std::string("it's"),
        std::string("$(id) `id` ${x} \\ \"quoted\" # ! * ? ~ & | ; < >"), std::string("\n\n"),
        std::string("--rate=1e-3"), std::string("~user"), all}) {
    for (const char* shell : {"/bin/sh", "/bin/bash"}) {
      const CommandResult result =
          run_command({shell, "-c", "printf '%s|' " + shell_word(text) + " end"});
      EXPECT_EQ(result.out, text + "|end|") << shell;
    }
  }
  EXPECT_EQ(shell_word("rope,alibi"), "rope,alibi") << "quoted where it must be";
  EXPECT_EQ(shell_word("rope(base=5e5)"), "'rope(base=5e5)'");
}

TEST(SlurmTime, IsWhatSbatchTakes) {
  for (const char* text : {"90", "90:30", "12:00:00", "2-12", "2-12:30", "2-12:30:59"})
    EXPECT_NO_THROW(check_slurm_time("--time", text)) << text;
  for (const char* text : {"", "1h", "1:2:3:4", "-5", "2-", "2-1-1", "1:", ":1", "1 2", "9e9"})
    expect_error(ErrorCode::kUsage, "--time", [&] { check_slurm_time("--time", text); });
}

TEST(SlurmScript, NamesJobAndFilesPlainly) {
  SlurmJob job{.name = "my $weird/name\n#SBATCH --x", .command = {"sextant"}, .time = "1:00:00"};
  job.memory = std::uint64_t{3} << 30;
  const std::string script = slurm_script(job, "-f.sbatch");
  EXPECT_NE(script.find("#SBATCH --job-name=my--weird-name--SBATCH---x\n"), std::string::npos)
      << script;
  EXPECT_NE(script.find("#SBATCH --mem=3072M\n"), std::string::npos) << script;
  EXPECT_NE(script.find("sbatch --parsable ./-f.sbatch"), std::string::npos) << script;
  EXPECT_EQ(run_command({"/bin/bash", "-n", "-c", script}).status, 0);
}

}  // namespace
}  // namespace sextant
