// SPDX-License-Identifier: Apache-2.0
#include "corpus/sequence_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "corpus/positional_counts.h"
#include "support/expect_error.h"
#include "support/small_corpus.h"

namespace sextant {
namespace {

struct Counted {
  PositionalCounts counts;
  std::map<TokenId, std::string> names;

  // Real counts by token and position, summed over blocks.
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> table() const {
    std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> result;
    counts.blocks.for_each([&](const Cell& cell) {
      result[{names.at(cell.token), cell.position}] += cell.count;
    });
    return result;
  }
};

using Table = std::map<std::pair<std::string, std::uint32_t>, std::uint64_t>;

Counted counted(const std::vector<TextRecord>& records, const CountOptions& options) {
  check_count_options(options);
  GrowingWords words;
  const CountingIds ids(words, options);
  SequenceCounter counter(words, options, ids, 1 << 20);
  for (const TextRecord& record : records) counter.count(record.text, record.group);
  Counted result = {.counts = counter.take(), .names = {}};
  if (ids.shift > 0) result.names = {{0, "[CLS]"}, {1, "[SEP]"}, {2, "[PAD]"}};
  for (Index id = 0; id < words.vocabulary(); ++id) {
    const auto token = static_cast<TokenId>(id);
    result.names[token + ids.shift] = words.text(token);
  }
  return result;
}

std::vector<TextRecord> random_records(int count, int longest, std::uint64_t seed) {
  std::vector<TextRecord> records;
  for (int i = 0; i < count; ++i) {
    const Rng rng(seed, static_cast<std::uint64_t>(i));
    TextRecord record;
    const auto length = rng.at(0) % static_cast<std::uint64_t>(longest + 1);
    for (std::uint64_t k = 1; k <= length; ++k)
      record.text += "t" + std::to_string(rng.at(k) % 30) + " ";
    records.push_back(record);
  }
  return records;
}

const std::vector<TextRecord> kThree = {{"a b c d"}, {"b a"}, {""}};

TEST(SequenceCounter, AtLeastCountsOnlyLongEnoughSequences) {
  const Counted found = counted(kThree, {.positions = 3, .shuffles = 0});
  EXPECT_EQ(found.table(), (Table{{{"a", 0}, 1}, {{"b", 1}, 1}, {{"c", 2}, 1}}));
  EXPECT_EQ(found.counts.lengths, (std::vector<std::int64_t>{1, 0, 1, 1}));
  EXPECT_EQ(found.counts.records, 3);
  EXPECT_EQ(found.counts.sequences, 3);
  EXPECT_EQ(found.counts.used, 1);
  EXPECT_EQ(found.counts.tokens, 3);
}

TEST(SequenceCounter, AnyCountsWhatThereIs) {
  const Counted found =
      counted(kThree, {.positions = 3, .length = LengthRule::kAny, .shuffles = 0});
  EXPECT_EQ(found.table(),
            (Table{{{"a", 0}, 1}, {{"b", 0}, 1}, {{"a", 1}, 1}, {{"b", 1}, 1}, {{"c", 2}, 1}}));
  EXPECT_EQ(found.counts.used, 2);
  EXPECT_EQ(found.counts.tokens, 5);
}

TEST(SequenceCounter, PaddedFillsUp) {
  const Counted found =
      counted({{"a b c d"}, {"b"}}, {.positions = 3, .length = LengthRule::kPadded, .shuffles = 0});
  EXPECT_EQ(found.table(), (Table{{{"a", 0}, 1},
                                  {{"b", 0}, 1},
                                  {{"b", 1}, 1},
                                  {{"c", 2}, 1},
                                  {{"[PAD]", 1}, 1},
                                  {{"[PAD]", 2}, 1}}));
  EXPECT_EQ(found.counts.lengths, (std::vector<std::int64_t>{0, 1, 0, 1}));
  EXPECT_EQ(found.counts.tokens, 4);
}

TEST(SequenceCounter, PaddedKeepsTheEndOfACutSequence) {
  const Counted found = counted(
      {{"a b c d"}, {"b"}},
      {.positions = 4, .length = LengthRule::kPadded, .specials = Specials::kBert, .shuffles = 0});
  EXPECT_EQ(found.table(), (Table{{{"[CLS]", 0}, 2},
                                  {{"a", 1}, 1},
                                  {{"b", 1}, 1},
                                  {{"b", 2}, 1},
                                  {{"[SEP]", 2}, 1},
                                  {{"[SEP]", 3}, 1},
                                  {{"[PAD]", 3}, 1}}));
}

TEST(SequenceCounter, AtLeastCutsTheEndOfALongSequence) {
  const CountOptions options = {.positions = 4, .specials = Specials::kBert, .shuffles = 0};
  EXPECT_EQ(counted({{"a b c d"}}, options).table(),
            (Table{{{"[CLS]", 0}, 1}, {{"a", 1}, 1}, {{"b", 2}, 1}, {{"c", 3}, 1}}));
  EXPECT_EQ(counted({{"a b"}}, options).table(),
            (Table{{{"[CLS]", 0}, 1}, {{"a", 1}, 1}, {{"b", 2}, 1}, {{"[SEP]", 3}, 1}}));
  EXPECT_EQ(counted({{"a"}}, options).counts.used, 0);
}

TEST(SequenceCounter, WindowsAreSequencesOfTheirDocument) {
  const CountOptions options = {
      .positions = 2, .length = LengthRule::kAny, .windows = true, .shuffles = 0};
  const Counted found = counted({{"a b c d e"}}, options);
  EXPECT_EQ(found.table(),
            (Table{{{"a", 0}, 1}, {{"b", 1}, 1}, {{"c", 0}, 1}, {{"d", 1}, 1}, {{"e", 0}, 1}}));
  EXPECT_EQ(found.counts.records, 1);
  EXPECT_EQ(found.counts.sequences, 3);
  std::set<std::uint32_t> blocks;
  found.counts.blocks.for_each([&](const Cell& cell) { blocks.insert(cell.layer); });
  EXPECT_EQ(blocks.size(), 1u);
}

TEST(SequenceCounter, ALastShortWindowCountsByTheRule) {
  EXPECT_EQ(counted({{"a b c d e"}}, {.positions = 2, .windows = true, .shuffles = 0}).counts.used,
            2);
  const Counted special = counted(
      {{"a b c"}}, {.positions = 4, .specials = Specials::kBert, .windows = true, .shuffles = 0});
  EXPECT_EQ(special.table(),
            (Table{{{"[CLS]", 0}, 1}, {{"a", 1}, 1}, {{"b", 2}, 1}, {{"[SEP]", 3}, 1}}));
}

TEST(SequenceCounter, OneGroupHasOneBlock) {
  std::vector<TextRecord> records = random_records(50, 20, 1);
  for (TextRecord& record : records) record.group = "source 17";
  const Counted grouped = counted(records, {.positions = 1, .shuffles = 0});
  int blocks = 0;
  for (const std::int64_t count : grouped.counts.sequences_at[0]) blocks += count > 0 ? 1 : 0;
  EXPECT_EQ(blocks, 1);
}

// The largest of 64 Poisson counts of mean 100 stays below 100 + 6 * 10.
TEST(SequenceCounter, SpreadsRecordsOverAllBlocks) {
  std::vector<TextRecord> records;
  for (int i = 0; i < 6400; ++i) records.push_back({"record " + std::to_string(i)});
  const Counted found = counted(records, {.positions = 1, .shuffles = 0});
  for (const std::int64_t count : found.counts.sequences_at[0])
    EXPECT_NEAR(double(count), 100.0, 60.0);
}

TEST(SequenceCounter, EveryLayerSumsToTheSequencesAtEachPosition) {
  for (const LengthRule rule : {LengthRule::kAtLeast, LengthRule::kAny, LengthRule::kPadded}) {
    for (const Specials specials : {Specials::kNone, Specials::kBert}) {
      for (const bool windows : {false, true}) {
        const CountOptions options = {.positions = 9,
                                      .length = rule,
                                      .specials = specials,
                                      .windows = windows,
                                      .shuffles = 5};
        const PositionalCounts counts = counted(random_records(300, 25, 2), options).counts;
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> real, shuffled;
        counts.blocks.for_each([&](const Cell& cell) {
          real[{cell.position, cell.layer}] += static_cast<std::int64_t>(cell.count);
        });
        counts.shuffled.for_each([&](const Cell& cell) {
          shuffled[{cell.position, cell.layer}] += static_cast<std::int64_t>(cell.count);
        });
        for (std::uint32_t i = 0; i < 9; ++i) {
          std::int64_t all = 0;
          for (std::uint32_t block = 0; block < kBlocks; ++block) {
            const std::int64_t expected = counts.sequences_at[i][block];
            EXPECT_EQ((real[{i, block}]), expected);
            all += expected;
          }
          for (std::uint32_t layer = 0; layer < 5; ++layer) EXPECT_EQ((shuffled[{i, layer}]), all);
        }
      }
    }
  }
}

TEST(SequenceCounter, ShufflesKeepTheTokensOfEachSequence) {
  for (const TextRecord& record : random_records(40, 30, 3)) {
    const CountOptions options = {
        .positions = 12, .length = LengthRule::kAny, .specials = Specials::kBert, .shuffles = 4};
    const Counted found = counted({record}, options);
    std::map<TokenId, std::uint64_t> real;
    found.counts.blocks.for_each([&](const Cell& cell) { real[cell.token] += cell.count; });
    std::array<std::map<TokenId, std::uint64_t>, 4> shuffled;
    found.counts.shuffled.for_each([&](const Cell& cell) {
      shuffled.at(cell.layer)[cell.token] += cell.count;
      if (cell.token == 0) {
        EXPECT_EQ(cell.position, 0u) << "[CLS] moved";
      }
    });
    for (const auto& each : shuffled) EXPECT_EQ(each, real);
  }
}

// All 4! orders of a b c d over 6000 different sequences: chi-square with 23 degrees of freedom
// exceeds 23 + 5.5 sqrt(46) = 60.3 less than once in 10,000 times.
TEST(SequenceCounter, ShufflesAreUniformOverAllOrders) {
  std::map<std::string, int> orders;
  for (int i = 0; i < 6000; ++i) {
    // A fifth word beyond the window makes the texts different.
    const Counted found =
        counted({{"a b c d x" + std::to_string(i)}}, {.positions = 4, .shuffles = 1});
    std::string order(4, ' ');
    found.counts.shuffled.for_each(
        [&](const Cell& cell) { order[cell.position] = found.names.at(cell.token)[0]; });
    ++orders[order];
  }
  ASSERT_EQ(orders.size(), 24u);
  double chi_square = 0.0;
  for (const auto& [order, count] : orders) chi_square += std::pow(count - 250.0, 2) / 250.0;
  EXPECT_LT(chi_square, 60.3);
}

TEST(SequenceCounter, SamplesRunsOfEightByTheirText) {
  const std::string run = "a b c d e f g h";
  const CountOptions options = {.positions = 9, .length = LengthRule::kAny, .shuffles = 0};
  // Records without groups are groups of their own; equal texts are one.
  EXPECT_EQ(counted({{run + " x"}, {"y " + run}, {"y " + run}}, options).counts.runs.size(), 3u);
  const auto overlap = [&](const std::vector<TextRecord>& records) {
    return overlap_of(counted(records, options).counts.runs);
  };
  EXPECT_EQ(overlap({{run + " x"}, {"y " + run}}), (Overlap{.runs = 3, .repeated = 1}));
  EXPECT_EQ(overlap({{run + " x", "g"}, {"y " + run, "g"}}), (Overlap{.runs = 3, .repeated = 0}));
  EXPECT_EQ(overlap({{run}, {run}}), (Overlap{.runs = 1, .repeated = 0}));
  EXPECT_EQ(counted({{"y " + run}, {run + " x"}}, options).counts.runs,
            counted({{run + " x"}, {"y " + run}}, options).counts.runs);
}

TEST(CountOptions, MustFitTheirPositions) {
  expect_error(ErrorCode::kUsage, "positions", [] { check_count_options({.positions = 0}); });
  expect_error(ErrorCode::kUsage, "must be 2",
               [] { check_count_options({.positions = 1, .specials = Specials::kBert}); });
  expect_error(ErrorCode::kUsage, "must be 3", [] {
    check_count_options({.positions = 2, .specials = Specials::kBert, .windows = true});
  });
  expect_error(ErrorCode::kUsage, "shuffles", [] { check_count_options({.shuffles = 257}); });
}

}  // namespace
}  // namespace sextant
