// SPDX-License-Identifier: Apache-2.0
#include "corpus/counts_stream.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <tuple>

#include "corpus/positional_counts.h"
#include "measure/made_counts.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Place = std::tuple<TokenId, std::uint32_t, std::uint32_t, std::uint64_t>;

class CountsStreams : public testing::Test {
 protected:
  std::filesystem::path written(const CountsFile& file) const {
    const std::filesystem::path path = folder_ / "made.counts";
    write_counts(path, file, AtomicFile::Existing::kReplace);
    return path;
  }
  TemporaryDirectory folder_;
};

// Some pieces of a megabyte: cells lie across their borders.
TEST_F(CountsStreams, GiveTheCellsThatTheFileHolds) {
  const CountsFile file = made_drifting_counts(4000, 3000);
  ASSERT_GT(file.counts.blocks.packed().size(), std::size_t{1} << 20);
  const CountsStream stream(written(file));
  EXPECT_EQ(stream.head().counts.options, file.counts.options);
  EXPECT_EQ(stream.head().counts.tokens, file.counts.tokens);
  EXPECT_TRUE(stream.head().finished);
  EXPECT_EQ(stream.head().counts.sequences_at.capacity(), 0U) << "is not held";
  std::vector<Place> expected;
  file.counts.blocks.for_each([&](const Cell& cell) {
    expected.emplace_back(cell.token, cell.position, cell.layer, cell.count);
  });
  for (int time = 0; time < 2; ++time) {
    std::vector<Place> found;
    stream.for_each_cell([&](const Cell& cell) {
      found.emplace_back(cell.token, cell.position, cell.layer, cell.count);
    });
    EXPECT_EQ(found, expected);
  }
  std::int64_t sum = 0;
  for (const std::int64_t count : stream.sequences()) sum += count;
  EXPECT_EQ(sum, file.counts.tokens);
}

TEST_F(CountsStreams, RejectEveryByteThatDiffers) {
  const std::filesystem::path path = written(made_drifting_counts(2, 40));
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  ASSERT_NO_THROW(CountsStream{path});
  for (std::size_t at = 0; at < bytes.size(); at += 5) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    folder_.write("damaged.counts", damaged);
    EXPECT_THROW(CountsStream{folder_ / "damaged.counts"}, Error) << at;
  }
  folder_.write("short.counts", bytes.substr(0, bytes.size() - 1));
  expect_error(ErrorCode::kMalformed, "short.counts: offset",
               [&] { CountsStream{folder_ / "short.counts"}; });
}

TEST_F(CountsStreams, RefuseSequencesThatNoCounterHolds) {
  CountsFile file = made_drifting_counts(2, 40);
  file.counts.sequences_at[1].fill(std::int64_t{1} << 58);
  expect_error(ErrorCode::kMalformed, "contradict each other",
               [&] { CountsStream{written(file)}; });
  expect_error(ErrorCode::kRefused, "above 2^63", [&] { sequences_by_position(file.counts); });
  file.counts.sequences_at[1].fill(std::int64_t{1} << 56);
  EXPECT_EQ(sequences_by_position(file.counts).at(1), std::int64_t{1} << 62);
}

TEST_F(CountsStreams, NoticeAFileThatChangesBetweenTwoPasses) {
  const std::filesystem::path path = written(made_drifting_counts(6, 40));
  const CountsStream stream(path);
  written(made_drifting_counts(6, 40, 2));
  expect_error(ErrorCode::kUnreadable, "made.counts",
               [&] { stream.for_each_cell([](const Cell&) {}); });
}

}  // namespace
}  // namespace sextant
