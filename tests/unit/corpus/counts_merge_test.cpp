// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.h"
#include "corpus/checked_fields.h"
#include "corpus/counter.h"
#include "corpus/counts_file.h"
#include "corpus/shard_plan.h"
#include "support/expect_error.h"
#include "support/small_corpus.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Bytes = std::vector<std::byte>;

constexpr CountOptions kPadded = {
    .positions = 5, .length = LengthRule::kPadded, .specials = Specials::kBert, .shuffles = 2};

// Shards have words of their own, words in common, and records without words.
std::vector<TextRecord> merge_records() {
  std::vector<TextRecord> result;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const Rng rng(3, i);
    TextRecord record = {.text = {}, .group = i % 5 == 0 ? "g" + std::to_string(i / 10) : ""};
    for (std::uint64_t k = 1; k <= rng.at(0) % 12; ++k)
      record.text += "w" + std::to_string(rng.at(k) % 9) + "x" + std::to_string(i % 4) + " ";
    result.push_back(record);
  }
  return result;
}

CountsFile counted(const Shard& shard, const CountOptions& options = kPadded,
                   const std::vector<TextRecord>& input = merge_records()) {
  const auto reader = sharded_records(std::make_unique<MemoryReader>(input, 7), shard);
  GrowingWords words;
  return count_corpus(*reader, words, options).file;
}

// The whole as a corpus that was cut into `count`: all but the cut must be as in one piece.
Bytes whole(Index count, const CountOptions& options = kPadded) {
  CountsFile file = counted({}, options);
  file.part.shards = count;
  file.part.present.resize(static_cast<std::size_t>(count));
  std::iota(file.part.present.begin(), file.part.present.end(), Index{0});
  return counts_bytes(file);
}

std::vector<CountsFile> shards(Index count, const CountOptions& options = kPadded) {
  std::vector<CountsFile> result;
  for (Index index = 0; index < count; ++index) result.push_back(counted({index, count}, options));
  return result;
}

TEST(CountsMerge, GivesTheCountsOfTheWholeForAnyNumberOfShards) {
  for (const LengthRule length : {LengthRule::kAtLeast, LengthRule::kAny, LengthRule::kPadded}) {
    CountOptions options = kPadded;
    options.length = length;
    options.windows = length == LengthRule::kAny;
    for (const Index count : {1, 2, 3, 4, 5, 6, 7, 70}) {
      std::vector<CountsFile> parts = shards(count, options);
      CountsFile sum = parts.front();
      for (std::size_t i = 1; i < parts.size(); ++i) merge(sum, parts[i]);
      EXPECT_EQ(counts_bytes(sum), whole(count, options)) << count;
      check_complete(sum, "sum");
    }
  }
}

TEST(CountsMerge, GivesTheSameBytesInAnyOrderAndNesting) {
  const std::vector<CountsFile> parts = shards(4);
  const Bytes expected = whole(4);
  std::vector<std::size_t> order = {0, 1, 2, 3};
  do {
    CountsFile line = parts[order[0]];
    for (std::size_t i = 1; i < 4; ++i) merge(line, parts[order[i]]);
    CountsFile left = parts[order[0]], right = parts[order[2]];
    merge(left, parts[order[1]]);
    merge(right, parts[order[3]]);
    merge(left, counts_of_bytes(counts_bytes(right), "right"));
    EXPECT_EQ(counts_bytes(line), expected);
    EXPECT_EQ(counts_bytes(left), expected);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(CountsMerge, ReadsBackItsBytes) {
  const CountsFile file = counted({1, 3});
  const Bytes bytes = counts_bytes(file);
  EXPECT_EQ(counts_bytes(counts_of_bytes(bytes, "bytes")), bytes);
  const TemporaryDirectory folder;
  write_counts(folder / "x.counts", file, AtomicFile::Existing::kKeep);
  EXPECT_EQ(content_of(folder / "x.counts"),
            std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  EXPECT_TRUE(has_counts(folder / "x.counts"));
  EXPECT_FALSE(has_counts(folder.write("x.txt", "SXCOUNT")));
}

TEST(CountsMerge, RefusesTheSameShardTwice) {
  const std::vector<CountsFile> parts = shards(3);
  CountsFile sum = parts[0];
  merge(sum, parts[2], "c");
  const Bytes before = counts_bytes(sum);
  expect_error(ErrorCode::kUsage, "again: shard 2 of 3 is there twice",
               [&] { merge(sum, parts[2], "again"); });
  EXPECT_EQ(counts_bytes(sum), before);
}

TEST(CountsMerge, RefusesCountsOfAnotherRunAndNamesTheDifference) {
  const CountsFile first = counted({0, 2});
  const auto refused = [&](std::string_view part, const auto& change) {
    CountsFile sum = first, other = counted({1, 2});
    change(other);
    expect_error(ErrorCode::kUsage, part, [&] { merge(sum, std::move(other), "b.counts"); });
  };
  refused("b.counts: counts of another run: positions is 6 here and 5 in the others",
          [](CountsFile& file) {
            file = counted({1, 2}, {.positions = 6, .shuffles = 2});
          });
  refused("seed is 9 here and 1", [](CountsFile& file) { file.counts.options.seed = 9; });
  refused("tokenizer is bytes here and growing",
          [](CountsFile& file) { file.counts.tokenizer = "bytes"; });
  refused("vocabulary is", [](CountsFile& file) { ++file.counts.tokenizer_hash; });
  refused("reading is '--text-column 2' here and ''",
          [](CountsFile& file) { file.part.reading = {"--text-column 2"}; });
  refused("--skip-bad is 3 here and 0", [](CountsFile& file) { file.log.skip_bad = 3; });
  refused("number of shards is 3 here and 2", [](CountsFile& file) { file = counted({1, 3}); });
  refused("counts of another corpus", [](CountsFile& file) { file.part.inputs[0].size = 7; });
  refused("counts of another corpus",
          [](CountsFile& file) { file.part.inputs[0].fingerprint = 7; });
}

TEST(CountsMerge, RefusesAnUnfinishedCount) {
  CountsFile sum = counted({0, 2}), other = counted({1, 2});
  other.finished = false;
  expect_error(ErrorCode::kMalformed, "b.counts: a checkpoint",
               [&] { merge(sum, other, "b.counts"); });
  expect_error(ErrorCode::kMalformed, "not finished", [&] { check_complete(other, "b.counts"); });
}

TEST(CountsMerge, OfManyIsTheSameInAnyOrder) {
  for (const Index count : {1, 2, 3, 7, 12}) {
    std::vector<CountsFile> parts = shards(count);
    for (int turn = 0; turn < 3; ++turn) {
      CountsSum sum;
      for (const CountsFile& part : parts) sum.add(part, "a.counts");
      EXPECT_EQ(counts_bytes(sum.take()), whole(count)) << count;
      std::ranges::rotate(parts, parts.begin() + count / 2);
    }
  }
}

TEST(CountsMerge, OfManyNamesTheFileWhoseShardIsThereTwice) {
  const std::vector<CountsFile> parts = shards(5);
  CountsSum sum;
  for (const Index part : {0, 1, 2}) sum.add(parts[static_cast<std::size_t>(part)], "first");
  expect_error(ErrorCode::kUsage, "again.counts: shard 0 of 5 is there twice",
               [&] { sum.add(parts[0], "again.counts"); });
}

TEST(CountsMerge, NamesTheShardsThatAreMissing) {
  std::vector<CountsFile> parts = shards(5);
  merge(parts[1], parts[3]);
  expect_error(ErrorCode::kUsage, "x: 3 of 5 shards missing: 0, 2, 4",
               [&] { check_complete(parts[1], "x"); });
  expect_error(ErrorCode::kUsage, "19 of 20 shards missing: 0, 1, 2, 3, 5, 6, 7, 8 and 11 more",
               [&] {
                 check_complete(counted({4, 20}), "x");
               });
}

TEST(CountsMerge, FindsAnInputWithoutRecordsInTheUnion) {
  CountsFile sum = counted({0, 2}), other = counted({1, 2});
  sum.part.inputs.push_back({.size = 40});
  other.part.inputs.push_back({.size = 40});
  merge(sum, other);
  expect_error(ErrorCode::kMalformed, "x: input 2 of the corpus, of 40 bytes, has no records",
               [&] { check_complete(sum, "x"); });
  sum.part.limit = 50;  // then the second may not have been reached
  check_complete(sum, "x");
}

TEST(CountsMerge, AddsWhatTheReadersTell) {
  CountsFile sum = counted({0, 2}), other = counted({1, 2});
  for (CountsFile* file : {&sum, &other}) file->log.skip_bad = 20;
  for (std::uint64_t line = 1; line <= 8; ++line) {
    sum.log.leave_out({"a", 0}, {.line = 2 * line}, "even");
    other.log.leave_out({"a", 0}, {.line = 2 * line + 1}, "odd");
  }
  sum.log.crlf = 3;
  other.log.crlf = 4;
  CountsFile back = other;
  merge(sum, other);
  EXPECT_EQ(sum.log.crlf, 7U);
  EXPECT_EQ(sum.log.skipped, 16);
  ASSERT_EQ(sum.log.listed.size(), ReadLog::kListed);
  for (std::size_t i = 0; i < ReadLog::kListed; ++i) EXPECT_EQ(sum.log.listed[i].place.line, i + 2);
}

TEST(CountsMerge, RefusesSumsThatNoCounterHolds) {
  CountsFile sum = counted({0, 2}), other = counted({1, 2});
  sum.counts.tokens = other.counts.tokens = std::int64_t{1} << 62;
  expect_error(ErrorCode::kRefused, "above 2^63", [&] { merge(sum, other); });
  sum = counted({0, 2});
  other = counted({1, 2});
  sum.part.inputs[0].records = other.part.inputs[0].records = std::int64_t{1} << 62;
  expect_error(ErrorCode::kRefused, "above 2^63", [&] { merge(sum, other); });
}

// Bytes with the trailer that they would have.
Bytes sealed(std::span<const std::byte> fields) {
  Bytes result;
  FieldWriter out([&result](std::span<const std::byte> chunk) {
    result.insert(result.end(), chunk.begin(), chunk.end());
  });
  out.bytes(fields);
  out.finish();
  return result;
}

// Sums may be too large, or have too many bad records.
void expect_added(CountsFile file, CountsFile other) {
  try {
    merge(file, std::move(other));
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kRefused || error.code() == ErrorCode::kMalformed)
        << error.what();
  }
}

// Whatever is read is what would be written, and can be added; all else is malformed.
TEST(CountsMerge, MakesNoSenseOfDamageThatTheChecksumDoesNotShow) {
  constexpr std::size_t kTrailer = 16;
  const CountOptions small = {.positions = 2, .length = LengthRule::kAny, .shuffles = 1};
  Bytes fields = counts_bytes(counted({0, 2}, small, {{"a b c"}, {"b"}, {"c a", "g"}, {"d"}}));
  fields.resize(fields.size() - kTrailer);
  int read = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (const unsigned flips : {1U, 128U, 255U, 1U << i % 8}) {
      fields[i] ^= static_cast<std::byte>(flips);
      const Bytes bytes = sealed(fields);
      try {
        CountsFile file = counts_of_bytes(bytes, "bytes"), other = file;
        ++read;
        ASSERT_EQ(counts_bytes(file), bytes) << "byte " << i;
        other.part.present.clear();
        expect_added(std::move(file), std::move(other));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kMalformed) << error.what();
      }
      fields[i] ^= static_cast<std::byte>(flips);
    }
  }
  EXPECT_GT(read, 0);
}

// Cells of tokens that the list of tokens does not have: no count makes such a file.
TEST(CountsMerge, RefusesTokensWithoutAName) {
  CountsFile sum = counted({0, 2}), other = counted({1, 2});
  other.tokens.erase(other.tokens.begin() + 1, other.tokens.end());
  expect_error(ErrorCode::kMalformed, "a token has no name", [&] { merge(sum, other); });
}

}  // namespace
}  // namespace sextant
