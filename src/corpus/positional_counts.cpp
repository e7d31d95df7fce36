// SPDX-License-Identifier: Apache-2.0
#include "corpus/positional_counts.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "corpus/run_sample.h"

namespace sextant {

std::string_view name(LengthRule rule) {
  constexpr std::string_view kNames[] = {"at-least", "any", "padded"};
  return kNames[static_cast<std::size_t>(rule)];
}

void check_count_options(const CountOptions& options) {
  const bool special = options.specials == Specials::kBert;
  const Index least = !special ? 1 : options.windows ? 3 : 2;
  require(options.positions >= least && options.positions <= Index{CellCounts::kMostPositions},
          "positions", "must be {} to {} but got {}", least, CellCounts::kMostPositions,
          options.positions);
  require(options.shuffles >= 0 && options.shuffles <= Index{CellCounts::kMostLayers}, "shuffles",
          "must be 0 to {} but got {}", CellCounts::kMostLayers, options.shuffles);
}

PositionalCounts empty_counts(const CountOptions& options) {
  const auto positions = static_cast<std::size_t>(options.positions);
  PositionalCounts result = {
      .options = options,
      .blocks = CellCounts(options.positions, kBlocks),
      .shuffled = CellCounts(options.positions, std::max<Index>(options.shuffles, 1))};
  result.sequences_at.resize(positions);
  result.lengths.resize(positions + 1);
  return result;
}

void add_amount(std::int64_t& sum, std::int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum))
    fail(ErrorCode::kRefused, "counts", "a sum is above 2^63");
}

void merge(PositionalCounts& into, const PositionalCounts& other) {
  into.blocks.merge(other.blocks);
  into.shuffled.merge(other.shuffled);
  merge_totals(into, other);
}

void merge_totals(PositionalCounts& into, const PositionalCounts& other) {
  for (std::size_t i = 0; i < into.sequences_at.size(); ++i)
    for (std::size_t block = 0; block < into.sequences_at[i].size(); ++block)
      add_amount(into.sequences_at[i][block], other.sequences_at[i][block]);
  for (std::size_t length = 0; length < into.lengths.size(); ++length)
    add_amount(into.lengths[length], other.lengths[length]);
  add_amount(into.records, other.records);
  add_amount(into.sequences, other.sequences);
  add_amount(into.used, other.used);
  add_amount(into.tokens, other.tokens);
  add_amount(into.skipped, other.skipped);
  for (std::size_t i = 0; i < into.input_hash.size(); ++i)
    into.input_hash[i] += other.input_hash[i];
  RunSample sample;
  sample.merge(into.runs);
  sample.merge(other.runs);
  into.runs = sample.take();
  into.overlap = overlap_of(into.runs);
}

std::vector<std::int64_t> sequences_by_position(const PositionalCounts& counts) {
  std::vector<std::int64_t> result;
  for (const auto& blocks : counts.sequences_at) {
    result.push_back(0);
    for (const std::int64_t count : blocks) add_amount(result.back(), count);
  }
  return result;
}

Index counted_tokens(const PositionalCounts& counts) {
  Index tokens = 0;
  std::optional<TokenId> last;
  counts.blocks.for_each([&](const Cell& cell) {
    if (cell.token != last) ++tokens;
    last = cell.token;
  });
  return tokens;
}

}  // namespace sextant
