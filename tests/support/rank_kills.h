// SPDX-License-Identifier: Apache-2.0
// Ranks of a report killed at random moments: the job ends soon, leaves nothing half done, and is
// resumed by another number of ranks to the bytes of one process.
#pragma once

#include <random>

#include "support/mpi_command.h"

namespace sextant {

using NamedFiles = std::map<std::string, std::string>;

// The report of one process without MPI. `arguments` end with a folder, which is replaced.
inline NamedFiles report_of_one_process(std::vector<std::string> arguments) {
  const TemporaryDirectory folder;
  arguments.back() = (folder / "whole").string();
  const CommandResult whole = sextant_command(arguments);
  EXPECT_EQ(whole.status, 0) << whole.err;
  return files_in(folder / "whole");
}

// `arguments` end with the folder of the report, `output`. One rank is one process without MPI.
inline void expect_resumes_to(const NamedFiles& expected, std::vector<std::string> arguments,
                              const std::filesystem::path& output, int ranks) {
  if (!std::filesystem::exists(output / "report.json")) {
    arguments.push_back("--resume");
    const CommandResult resumed =
        ranks == 1 ? sextant_command(arguments) : mpi_command(ranks, arguments);
    ASSERT_EQ(resumed.status, 0) << ranks << " ranks: " << resumed.err;
  }
  const NamedFiles found = files_in(output);
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [name, content] : expected)
    EXPECT_TRUE(found.contains(name) && found.at(name) == content) << name << " differs";
}

inline void kill_ranks_at_random_moments(int times, unsigned seed) {
  using Clock = std::chrono::steady_clock;
  const TemporaryDirectory folder;
  const auto text = folder.write("reviews.tsv", tsv_text(20'000)).string();
  const auto arguments = [&](const std::string& name) -> std::vector<std::string> {
    return {"report",   text, "--positions", "16",   "--shuffles", "2",
            "--splits", "2",  "--encodings", "rope", "-o",         (folder / name).string()};
  };
  const auto start = Clock::now();
  ASSERT_EQ(mpi_command(3, arguments("first")).status, 0);
  const std::chrono::duration<double> whole = Clock::now() - start;
  const NamedFiles expected = report_of_one_process(arguments("one"));
  std::mt19937 random(seed);
  for (int time = 0; time < times; ++time) {
    const std::string name = std::to_string(time);
    RunningRanks job(3, arguments(name));
    std::this_thread::sleep_for(whole * std::uniform_real_distribution(0.02, 1.0)(random));
    const int rank = static_cast<int>(random() % 3);
    const bool killed = job.signal_rank(rank, SIGKILL);
    ASSERT_TRUE(job.ends_within(std::chrono::seconds(killed ? 30 : 60))) << "rank " << rank << "\n"
                                                                         << job.description();
    const CommandResult result = job.result();
    // A signal may come when all is done.
    const bool done = std::filesystem::exists(folder / name / "report.json");
    EXPECT_TRUE(result.status == 137 || result.status == 10 || (result.status == 0 && done))
        << result.status << ": " << result.err;
    std::filesystem::create_directories(folder / name);
    for (const auto& [file, content] : files_in(folder / name))
      EXPECT_TRUE(expected.contains(file) && expected.at(file) == content)
          << file << " is half done";
    expect_resumes_to(expected, arguments(name), folder / name, 1 + time % 4);
  }
}

}  // namespace sextant
