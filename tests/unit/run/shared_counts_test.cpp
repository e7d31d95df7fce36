// SPDX-License-Identifier: Apache-2.0
#include "run/shared_counts.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/expect_error.h"
#include "support/temporary_directory.h"
#include "support/thread_ranks.h"

namespace sextant {
namespace {

class SharedCounts : public testing::Test {
 protected:
  SharedCounts() {
    std::string text;
    for (int line = 0; line < 300; ++line)
      text += "w" + std::to_string(line % 7) + " w" + std::to_string(line % 11) + " end\n";
    choice_.corpus.inputs = {folder_.write("a.txt", text).string()};
    choice_.positions = 3;
    choice_.shuffles = 2;
  }

  // The counts that every one of `size` ranks has; nothing where it was stopped.
  std::optional<std::vector<std::byte>> counted(Index size, StudyRun run = {}) {
    std::vector<std::optional<std::vector<std::byte>>> found(static_cast<std::size_t>(size));
    ThreadRanks(size).run([&](Communicator& ranks) {
      StudyRun own = run;
      own.ranks = &ranks;
      const std::optional<CountsFile> file = count_by_ranks(choice_, own, {});
      if (file) found[static_cast<std::size_t>(ranks.rank())] = bytes_of(*file);
    });
    for (const auto& bytes : found) EXPECT_EQ(bytes, found.front()) << size << " ranks";
    return found.front();
  }

  // Without what tells the cut.
  static std::vector<std::byte> bytes_of(CountsFile file) {
    check_complete(file, "corpus");
    file.part = {};
    file.log = {};
    file.generation = 0;
    return counts_bytes(file);
  }

  TemporaryDirectory folder_;
  StudyChoice choice_;
};

TEST_F(SharedCounts, AreThoseOfOneProcessForAnyNumberOfRanks) {
  const auto one = counted(1);
  ASSERT_TRUE(one);
  for (const Index size : {2, 3, 4, 7}) EXPECT_EQ(counted(size), one) << size << " ranks";
}

TEST_F(SharedCounts, WithALimitAreCountedByTheFirstRank) {
  choice_.corpus.limit = 100;
  const auto one = counted(1);
  ASSERT_TRUE(one);
  EXPECT_EQ(counted(3), one);
}

TEST_F(SharedCounts, GoOnWithAnotherNumberOfRanks) {
  const auto one = counted(1);
  StudyRun run;
  run.checkpoints = folder_ / "checkpoints";
  EXPECT_EQ(counted(3, run), one);  // leaves what it would resume from
  EXPECT_TRUE(std::filesystem::exists(folder_ / "checkpoints/part-2-of-3"));
  std::filesystem::remove_all(folder_ / "checkpoints/part-1-of-3");
  run.resume = true;
  for (const Index size : {1, 2, 5}) EXPECT_EQ(counted(size, run), one) << size << " ranks";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "checkpoints/part-0-of-5"));
  remove_parts(run.checkpoints);
  EXPECT_FALSE(std::filesystem::exists(run.checkpoints));
}

TEST_F(SharedCounts, OfARunThatIsNotResumedAreRemoved) {
  StudyRun run;
  run.checkpoints = folder_ / "checkpoints";
  ASSERT_TRUE(counted(3, run));
  ASSERT_TRUE(counted(2, run));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "checkpoints/part-0-of-3"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "checkpoints/part-0-of-2"));
}

TEST_F(SharedCounts, OfTwoRunsAreRefused) {
  StudyRun run;
  run.checkpoints = folder_ / "checkpoints";
  run.resume = true;
  for (const char* part : {"part-0-of-2", "part-0-of-3"})
    std::filesystem::create_directories(run.checkpoints / part);
  expect_error(ErrorCode::kCheckpoint, "parts of two runs",
               [&] { count_by_ranks(choice_, run, {}); });
}

// Every rank gets the bytes of the counts and the counts themselves.
TEST_F(SharedCounts, ThatAreGivenNeedTwiceTheirSizeWhereTheyArePassedOn) {
  const std::optional<CountsFile> file = count_choice(choice_, {});
  ASSERT_TRUE(file);
  const std::vector<std::byte> bytes = counts_bytes(*file);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  StudyChoice given;
  given.corpus.inputs = {folder_.write("a.counts", text).string()};
  const auto read = [&](Communicator& ranks) {
    StudyRun run;
    run.ranks = &ranks;
    given_counts_by_ranks(given, run, [](const CountOptions&) {});
  };
  given.memory = bytes.size();
  read(alone());
  given.memory = 2 * bytes.size();
  ThreadRanks(2).run(read);
  given.memory = 2 * bytes.size() - 1;
  ThreadRanks(2).run([&](Communicator& ranks) {
    if (ranks.is_root()) expect_error(ErrorCode::kRefused, "1 files", [&] { read(ranks); });
  });
}

TEST_F(SharedCounts, AreNothingOnAllRanksWhenOneIsStopped) {
  const std::atomic<bool> stop = true;
  std::atomic<int> stopped = 0;
  ThreadRanks(3).run([&](Communicator& ranks) {
    StudyRun run;
    run.ranks = &ranks;
    if (ranks.rank() == 1) run.stop = &stop;
    if (!count_by_ranks(choice_, run, {})) ++stopped;
  });
  EXPECT_EQ(stopped, 3);
}

}  // namespace
}  // namespace sextant
