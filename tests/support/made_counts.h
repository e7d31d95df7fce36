// SPDX-License-Identifier: Apache-2.0
// Counts whose every number a test chooses.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "corpus/counts_file.h"
#include "corpus/positional_counts.h"
#include "geometry/position_rows.h"

namespace sextant {

// counts(i, v) sequences have token v at position i, all in block (i + v) mod 64.
inline PositionalCounts made_counts(Index positions, Index types,
                                    const std::function<Index(Index, Index)>& counts) {
  PositionalCounts made = empty_counts({.positions = positions, .shuffles = 0});
  for (Index v = 0; v < types; ++v) {
    for (Index i = 0; i < positions; ++i) {
      const auto block = static_cast<std::uint32_t>((i + v) % kBlocks);
      const std::vector<std::uint32_t> places(
          static_cast<std::size_t>(counts(i, v)),
          made.blocks.place(static_cast<std::uint32_t>(i), block));
      if (!places.empty()) made.blocks.add(static_cast<TokenId>(v), places);
      made.sequences_at[static_cast<std::size_t>(i)][block] += counts(i, v);
      made.tokens += counts(i, v);
    }
  }
  made.blocks.flush();
  made.vocabulary = types;
  made.tokenizer = "words";
  made.used = made.sequences = made.records = std::ranges::max(sequences_by_position(made));
  made.lengths.back() = made.sequences;
  return made;
}

// As a file of counts of a whole corpus.
inline CountsFile file_of(PositionalCounts counts) {
  CountsFile file;
  file.part.inputs = {{.size = 1, .fingerprint = 1, .records = counts.records}};
  file.counts = std::move(counts);
  file.finished = true;
  return file;
}

inline CellSource cells_of(const PositionalCounts& counts) {
  return [&counts](const CellVisit& visit) { counts.blocks.for_each(visit); };
}

}  // namespace sextant
