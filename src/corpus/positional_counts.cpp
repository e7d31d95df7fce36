// SPDX-License-Identifier: Apache-2.0
#include "corpus/positional_counts.h"

#include <algorithm>

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

void merge(PositionalCounts& into, const PositionalCounts& other) {
  into.blocks.merge(other.blocks);
  into.shuffled.merge(other.shuffled);
  for (std::size_t i = 0; i < into.sequences_at.size(); ++i)
    for (std::size_t block = 0; block < into.sequences_at[i].size(); ++block)
      into.sequences_at[i][block] += other.sequences_at[i][block];
  for (std::size_t length = 0; length < into.lengths.size(); ++length)
    into.lengths[length] += other.lengths[length];
  into.records += other.records;
  into.sequences += other.sequences;
  into.used += other.used;
  into.tokens += other.tokens;
  into.skipped += other.skipped;
  for (std::size_t i = 0; i < into.input_hash.size(); ++i)
    into.input_hash[i] += other.input_hash[i];
  RunSample sample;
  sample.merge(into.runs);
  sample.merge(other.runs);
  into.runs = sample.take();
  into.overlap = overlap_of(into.runs);
}

}  // namespace sextant
