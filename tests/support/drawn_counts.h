// SPDX-License-Identifier: Apache-2.0
// Counts of corpora that are drawn from known laws, without text in between.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "sextant/corpus.h"
#include "sextant/matrix.h"

namespace sextant {

inline void add_sequence(const std::vector<TokenId>& tokens, std::uint32_t layer,
                         CellCounts& cells) {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    cells.add(tokens[i], static_cast<std::uint32_t>(i), layer);
}

// `sequences` sequences whose token at position i has the law laws.row(i); blocks in turn. The
// shuffled layers hold every sequence with its tokens permuted.
inline PositionalCounts drawn_counts(const Matrix& laws, Index sequences, std::uint64_t seed,
                                     Index shuffles = 0) {
  const Index n = laws.rows();
  PositionalCounts counts{.blocks = CellCounts(n, kBlocks),
                          .shuffled = CellCounts(n, std::max<Index>(1, shuffles))};
  counts.options.positions = n;
  counts.options.shuffles = shuffles;
  counts.sequences_at.resize(static_cast<std::size_t>(n));
  Matrix cumulative = laws;
  for (Index i = 0; i < n; ++i)
    for (Index v = 1; v < laws.cols(); ++v) cumulative(i, v) += cumulative(i, v - 1);
  std::vector<TokenId> tokens(static_cast<std::size_t>(n));
  for (Index q = 0; q < sequences; ++q) {
    const Rng rng(seed, static_cast<std::uint64_t>(q));
    const auto block = static_cast<std::size_t>(q % kBlocks);
    for (Index i = 0; i < n; ++i) {
      const auto row = cumulative.row(i);
      const auto drawn =
          std::ranges::upper_bound(row, rng.uniform(static_cast<std::uint64_t>(i))) - row.begin();
      tokens[static_cast<std::size_t>(i)] =
          static_cast<TokenId>(std::min<Index>(drawn, laws.cols() - 1));
      ++counts.sequences_at[static_cast<std::size_t>(i)][block];
    }
    add_sequence(tokens, static_cast<std::uint32_t>(block), counts.blocks);
    for (Index r = 0; r < shuffles; ++r) {
      for (std::size_t i = tokens.size() - 1; i > 0; --i) {
        const double u = rng.uniform(static_cast<std::uint64_t>((r + 1) * n) + i);
        std::swap(tokens[i], tokens[static_cast<std::size_t>(u * static_cast<double>(i + 1))]);
      }
      add_sequence(tokens, static_cast<std::uint32_t>(r), counts.shuffled);
    }
  }
  counts.blocks.flush();
  counts.shuffled.flush();
  counts.sequences = counts.used = sequences;
  counts.tokens = sequences * n;
  return counts;
}

}  // namespace sextant
