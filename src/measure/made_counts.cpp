// SPDX-License-Identifier: Apache-2.0
#include "measure/made_counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/rng.h"
#include "corpus/packed_cells.h"
#include "corpus/positional_counts.h"

namespace sextant {
namespace {

// Cells in order, as CellCounts packs them.
class PackedCells {
 public:
  PackedCells(Index positions, Index layers)
      : positions_(positions), layers_(layers), keys_(positions, layers) {}

  void put(Index token, Index position, Index block, Index count) {
    const std::uint64_t key = keys_.key(
        static_cast<TokenId>(token),
        keys_.place(static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(block)));
    std::array<std::byte, kMostCellBytes> cell = {};
    std::byte* const end =
        put_packed_cell(key - next_, static_cast<std::uint64_t>(count), cell.data());
    bytes_.insert(bytes_.end(), cell.data(), end);
    next_ = key + 1;
    ++cells_;
  }
  CellCounts take() {
    return CellCounts::from_packed(positions_, layers_, std::move(bytes_), cells_);
  }

 private:
  Index positions_, layers_;
  CellKeys keys_;
  std::vector<std::byte> bytes_;
  std::uint64_t next_ = 0;
  Index cells_ = 0;
};

}  // namespace

CountsFile made_drifting_counts(Index positions, Index types, std::uint64_t seed) {
  CountsFile file;
  file.counts = empty_counts({.positions = positions, .length = LengthRule::kAny, .shuffles = 0});
  PositionalCounts& counts = file.counts;
  PackedCells cells(positions, kBlocks);
  for (Index v = 0; v < types; ++v) {
    const Rng rng(seed, static_cast<std::uint64_t>(v));
    std::uint64_t draws = 0;
    const double mean = 50.0 / static_cast<double>(v + 9), most = 1.9 * mean;
    const double phase = 2.0 * std::numbers::pi * rng.uniform(draws++);
    const double speed = 3.0 * static_cast<double>(1 + v % 10) / static_cast<double>(positions);
    const double gap = 1.0 / std::min(1.0, most);  // mean distance of places that are tried
    double at = rng.uniform(draws++) * gap;
    const auto move_on = [&] { at += 1.0 + 2.0 * rng.uniform(draws++) * (gap - 1.0); };
    for (; at < static_cast<double>(positions); move_on()) {
      const auto i = static_cast<Index>(at);
      const double drift = (1.0 + 0.9 * std::cos(phase + speed * static_cast<double>(i))) / 1.9;
      const double expected = std::max(1.0, most) * drift;
      const auto count = static_cast<Index>(expected + rng.uniform(draws++));
      if (count == 0) continue;
      const Index block = (i + v) % (kBlocks - 1), rest = count / 2;
      auto& by_block = counts.sequences_at[static_cast<std::size_t>(i)];
      cells.put(v, i, block, count - rest);
      by_block[static_cast<std::size_t>(block)] += count - rest;
      if (rest > 0) cells.put(v, i, block + 1, rest);
      by_block[static_cast<std::size_t>(block) + 1] += rest;
      counts.tokens += count;
    }
  }
  counts.blocks = cells.take();
  counts.vocabulary = types;
  counts.tokenizer = "words";
  counts.records = counts.sequences = counts.used =
      std::max<Index>(1, std::ranges::max(sequences_by_position(counts)));
  counts.lengths.back() = counts.sequences;
  file.part.inputs = {{.size = 1, .fingerprint = 1, .records = counts.records}};
  file.finished = true;
  return file;
}

}  // namespace sextant
