// SPDX-License-Identifier: Apache-2.0
// What goes wrong on one rank ends the job in order: the right status, one line, nothing half done.
#include <gtest/gtest.h>

#include "support/mpi_command.h"
#include "support/rank_kills.h"

namespace sextant {
namespace {

// One line on stderr that contains `part`.
void expect_one_error(const CommandResult& result, int status, const std::string& part) {
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_EQ(result.out, "");
  const std::vector<std::string> lines = error_lines(result.err);
  ASSERT_EQ(lines.size(), 1U) << result.err;
  EXPECT_NE(lines.front().find(part), std::string::npos) << lines.front();
}

TEST(MpiFaults, AWrongCallIsToldOnce) {
  expect_one_error(mpi_command(3, {"score", "--bogus"}), 2, "--bogus");
  expect_one_error(mpi_command(2, {"score", "x.tsv", "--positions", "0"}), 2, "--positions");
  expect_one_error(mpi_command(2, {"score", "missing.tsv"}), 4, "missing.tsv");
}

TEST(MpiFaults, ABadLineIsToldOnceWhicheverRankReadsIt) {
  const TemporaryDirectory folder;
  std::string text = tsv_text(400);
  const auto first = folder.write("first.tsv", "a\tb\tc\n" + text);
  const auto last = folder.write("last.tsv", text + "only one column\n");
  expect_one_error(mpi_command(3, {"score", first.string()}), 3, "first.tsv:2");
  expect_one_error(mpi_command(3, {"score", last.string()}), 3, "last.tsv:402");
}

TEST(MpiFaults, AnExistingReportIsKept) {
  const TemporaryDirectory folder;
  const auto kept = folder.write("report.json", "mine");
  expect_one_error(mpi_command(3, {"report", "synthetic:drift", "-o", folder.path().string()}), 6,
                   "exists");
  EXPECT_EQ(content_of(kept), "mine");
}

TEST(MpiFaults, RanksThatSeeDifferentFilesEndBeforeTheyRead) {
  const TemporaryDirectory here, there, scripts;
  here.write("a.tsv", tsv_text(200));
  there.write("a.tsv", tsv_text(201));
  const auto script =
      scripts.write("rank.sh", "#!/bin/sh\nif [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then cd '" +
                                   there.path().string() + "'; else cd '" + here.path().string() +
                                   "'; fi\nexec \"$@\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  expect_one_error(
      run_command(mpi_words(3, {script.string(), SEXTANT_BINARY, "score", "a.tsv"}), mpi_options()),
      4, "a.tsv: must be one file for all ranks but rank 1 found another one");
}

TEST(MpiFaults, RanksWithDifferentArgumentsEndWithTen) {
  const TemporaryDirectory scripts;
  const auto script =
      scripts.write("rank.sh", "#!/bin/sh\nexec \"$@\" --seed $((OMPI_COMM_WORLD_RANK == 2))\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  expect_one_error(
      run_command(mpi_words(3, {script.string(), SEXTANT_BINARY, "score", "synthetic:drift"}),
                  mpi_options()),
      10, "rank 2: other arguments");
}

TEST(MpiFaults, WithoutTheProgramItSaysHowToGetIt) {
  const TemporaryDirectory folder;
  const auto copy = folder / "sextant";
  std::filesystem::copy_file(SEXTANT_BINARY, copy);
  expect_one_error(
      run_command(mpi_words(2, {copy.string(), "score", "synthetic:drift"}), mpi_options()), 4,
      "sextant-mpi: the program for several ranks is not there; install");
  const CommandResult other =
      run_command(mpi_words(2, {copy.string(), "encodings", "rope", "--json"}), mpi_options());
  EXPECT_EQ(other.status, 0) << other.err;  // verbs that take no ranks run as they are
}

TEST(MpiFaults, VerbsOfOneProcessAreNotDoneSeveralTimes) {
  const TemporaryDirectory folder;
  const auto output = (folder / "a.counts").string();
  expect_one_error(mpi_command(2, {"count", "synthetic:drift", "-o", output}), 2,
                   "--shard: must be given under mpirun");
  expect_one_error(mpi_command(2, {"merge", output, "-o", output}), 2, "work for one process");
  EXPECT_FALSE(std::filesystem::exists(output));
  const auto part = (folder / "part.{shard}.counts").string();
  const CommandResult parts =
      mpi_command(2, {"count", "synthetic:drift", "--shard", "mpirun", "-o", part});
  EXPECT_EQ(parts.status, 0) << parts.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "part.0.counts"));
  EXPECT_TRUE(std::filesystem::exists(folder / "part.1.counts"));
}

// What a launcher of another MPI would do: its ranks are each alone.
TEST(MpiFaults, RanksThatDoNotSeeEachOtherAreToldApart) {
  CommandOptions options = mpi_options({"PMI_SIZE=2", "PMI_RANK=0"});
  const CommandResult result =
      run_command({SEXTANT_MPI_BINARY, "geometry", "synthetic:drift"}, options);
  expect_one_error(result, 10, "the launcher started 2 ranks but MPI sees 1");
}

TEST(MpiFaults, APlanIsForTheRanksAtHand) {
  const CommandResult result = mpi_command(2, {"score", "synthetic:drift", "--plan"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("2 ranks"), std::string::npos) << result.out;
}

TEST(MpiFaults, AStoppedRankIsNamedAfterTheDeadline) {
  const TemporaryDirectory folder;
  RunningRanks job(3,
                   {"report", "synthetic:drift(sequences=3000000)", "--positions", "64", "-o",
                    (folder / "out").string()},
                   {"SEXTANT_RANK_DEADLINE=5"});
  while (!job.is_over() && !std::filesystem::exists(folder / "out/.checkpoint/part-2-of-3"))
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_TRUE(job.signal_rank(2, SIGSTOP));
  ASSERT_TRUE(job.ends_within(std::chrono::seconds(60))) << job.description();
  const CommandResult result = job.result();
  EXPECT_EQ(result.status, 10) << result.err;
  const std::vector<std::string> lines = error_lines(result.err);
  ASSERT_EQ(lines.size(), 1U) << result.err;
  EXPECT_TRUE(lines.front().starts_with("sextant: error: rank 2 on ")) << lines.front();
  EXPECT_NE(lines.front().find(": lost in stage '"), std::string::npos) << lines.front();
}

// Before the first sign of life nothing but the clock can tell, a rank neither what is wrong nor
// whether another one has said so: where the launcher takes longer than a turn, two say the same.
TEST(MpiFaults, ARankThatIsStoppedWhileItStartsEndsTheJob) {
  for (const int rank : {0, 2}) {
    RunningRanks job(3, {"score", "synthetic:drift"}, {"SEXTANT_RANK_DEADLINE=5"});
    ASSERT_TRUE(job.signal_rank(rank, SIGSTOP));
    ASSERT_TRUE(job.ends_within(std::chrono::seconds(60))) << job.description();
    const CommandResult result = job.result();
    EXPECT_EQ(result.status, 10) << result.err;
    const std::vector<std::string> lines = error_lines(result.err);
    ASSERT_FALSE(lines.empty()) << result.err;
    for (const std::string& line : lines)
      EXPECT_EQ(line,
                "sextant: error: ranks: MPI has not started after 5 s: a rank stands still or "
                "cannot be reached");
  }
}

TEST(MpiFaults, ASignalToOneRankStopsAllWithACheckpoint) {
  const TemporaryDirectory folder;
  const auto text = folder.write("reviews.tsv", tsv_text(150'000)).string();
  const std::vector<std::string> arguments = {
      "report",   text, "--positions", "16",   "--shuffles", "20",
      "--splits", "2",  "--encodings", "rope", "-o",         (folder / "out").string()};
  RunningRanks job(3, arguments);
  while (!job.is_over() && !std::filesystem::exists(folder / "out/.checkpoint/part-1-of-3"))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (!job.signal_rank(1, SIGTERM)) GTEST_SKIP() << "the job was faster than the signal";
  ASSERT_TRUE(job.ends_within(std::chrono::seconds(120))) << job.description();
  const CommandResult stopped = job.result();
  EXPECT_EQ(stopped.status, 8) << stopped.err;
  EXPECT_TRUE(files_in(folder / "out").empty());
  for (const char* part : {"part-0-of-3", "part-1-of-3", "part-2-of-3"}) {
    const auto saved = folder / "out/.checkpoint" / part;
    EXPECT_TRUE(std::filesystem::exists(saved / "counts-a") ||
                std::filesystem::exists(saved / "counts-b"))
        << part;
  }
  expect_resumes_to(report_of_one_process(arguments), arguments, folder / "out", 2);
}

TEST(MpiFaults, AKilledRankNeverHangsAndTheRunIsResumed) { kill_ranks_at_random_moments(5, 1); }

}  // namespace
}  // namespace sextant
