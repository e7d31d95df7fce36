// SPDX-License-Identifier: Apache-2.0
#include "corpus/shard_plan.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corpus/counter.h"
#include "support/expect_error.h"
#include "support/small_corpus.h"

namespace sextant {
namespace {

using Kind = InputShare::Kind;
using Sizes = std::vector<std::uint64_t>;

// Every byte of a file that can be cut is in one range; a file that cannot is read by one shard, or
// by all.
void expect_partition(const Sizes& sizes, Index count, const std::vector<bool>& cuttable) {
  std::vector<std::vector<int>> owners(sizes.size());
  std::vector<int> whole(sizes.size()), filtered(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) owners[i].resize(sizes[i]);
  for (Index index = 0; index < count; ++index) {
    const auto shares =
        shares_of({index, count}, sizes, [&](std::size_t i) { return cuttable[i]; });
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      whole[i] += shares[i].kind == Kind::kWhole ? 1 : 0;
      filtered[i] += shares[i].kind == Kind::kRecords ? 1 : 0;
      if (shares[i].kind == Kind::kLines)
        for (std::uint64_t at = shares[i].begin; at < shares[i].end; ++at) ++owners[i][at];
    }
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool all = filtered[i] == count && whole[i] == 0 && !cuttable[i];
    const bool one = whole[i] == 1 && filtered[i] == 0;
    const bool cut = cuttable[i] && whole[i] == 0 && filtered[i] == 0 &&
                     owners[i] == std::vector<int>(sizes[i], 1);
    EXPECT_EQ(all + one + cut, 1) << "file " << i << " of " << sizes[i] << " bytes, " << count;
  }
}

TEST(ShardPlan, GivesEveryByteToOneShard) {
  for (Index count = 1; count <= 40; ++count) {
    for (const Sizes& sizes :
         {Sizes{1}, Sizes{9}, Sizes{1, 1, 1}, Sizes{5, 30, 2, 2, 17}, Sizes{100, 1, 1, 1, 1, 1}}) {
      for (unsigned mask = 0; mask < 1U << sizes.size(); ++mask) {
        std::vector<bool> cuttable;
        for (std::size_t i = 0; i < sizes.size(); ++i) cuttable.push_back((mask >> i & 1U) != 0);
        expect_partition(sizes, count, cuttable);
      }
    }
  }
}

TEST(ShardPlan, ReadsAFileThatCannotBeCutByOneShardUnlessItIsLarge) {
  const auto never = [](std::size_t) { return false; };
  // 20 bytes, ten each: the second file has its middle, byte 11, in the second shard.
  const Sizes sizes = {8, 7, 5};
  EXPECT_EQ(shares_of({0, 2}, sizes, never)[0].kind, Kind::kWhole);
  EXPECT_EQ(shares_of({0, 2}, sizes, never)[1].kind, Kind::kNothing);
  EXPECT_EQ(shares_of({1, 2}, sizes, never)[1].kind, Kind::kWhole);
  EXPECT_EQ(shares_of({0, 3}, sizes, never)[0].kind, Kind::kRecords);
}

TEST(ShardPlan, CutsTerabytesWithoutOverflow) {
  const Sizes sizes = {std::uint64_t{1} << 60};
  const auto share = shares_of({kMostShards - 1, kMostShards}, sizes, [](auto) { return true; });
  EXPECT_EQ(share[0].end, sizes[0]);
  EXPECT_EQ(share[0].end - share[0].begin, std::uint64_t{1} << 40);
}

TEST(ShardPlan, RefusesAShardThatIsNone) {
  expect_error(ErrorCode::kUsage, "--shard: the shard must be 0 to 3", [] { check_shard({4, 4}); });
  expect_error(ErrorCode::kUsage, "must be 0 to 3", [] { check_shard({-1, 4}); });
  expect_error(ErrorCode::kUsage, "number of shards", [] { check_shard({0, 0}); });
  expect_error(ErrorCode::kUsage, "number of shards", [] { check_shard({0, kMostShards + 1}); });
}

TEST(ShardedRecords, TakeEveryNthRecord) {
  const std::vector<TextRecord> records = {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}};
  for (Index count = 1; count <= 7; ++count) {
    std::vector<std::string> found(records.size());
    for (Index index = 0; index < count; ++index) {
      const auto reader =
          sharded_records(std::make_unique<MemoryReader>(records, 2), {index, count});
      EXPECT_EQ(reader->part().shards, count);
      for (RecordBatch batch; reader->next(batch);) {
        for (const auto& record : batch.records) {
          EXPECT_EQ(static_cast<Index>(record.place - 1) % count, index);
          found[record.place - 1] += batch.text(record);
        }
      }
    }
    EXPECT_EQ(found, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  }
}

}  // namespace
}  // namespace sextant
