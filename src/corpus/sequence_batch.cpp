// SPDX-License-Identifier: Apache-2.0
// Shuffles permute ranks, not tokens: a rank tells the occurrence, and so the place among those of
// its token to which the position is written.
#include "corpus/sequence_batch.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/rng.h"

namespace sextant {
namespace {

// Small and fast; one for every permutation.
class Draws {
 public:
  explicit Draws(std::uint64_t key) : state_(key) {}

  std::uint64_t next() {
    state_ += 0xD1342543DE82EF95;
    return fold(state_, state_ ^ 0xAF251AF3B0F025B5);
  }

  // Uniform and independent numbers below `a` and below `b` from one draw, without bias: the two
  // high halves of successive products, drawn again where the last low half falls into the part of
  // 2^64 that a b does not divide (Lemire 2019, Brackett-Rozinsky and Lemire 2024).
  // REQUIRES: 0 < a, b < 2^32.
  std::pair<std::size_t, std::size_t> below(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const std::uint64_t both = a * b;
    for (;;) {
      const Wide first = Wide{next()} * a;
      const Wide second = Wide{static_cast<std::uint64_t>(first)} * b;
      const auto rest = static_cast<std::uint64_t>(second);
      if (rest >= both || rest >= (0 - both) % both) {
        return {static_cast<std::size_t>(first >> 64), static_cast<std::size_t>(second >> 64)};
      }
    }
  }

 private:
  std::uint64_t state_;
};

// Fisher and Yates, two exchanges a draw.
void permute(std::span<std::uint32_t> ranks, Draws draws) {
  std::size_t left = ranks.size();
  for (; left > 2; left -= 2) {
    const auto [a, b] = draws.below(left, left - 1);
    std::swap(ranks[left - 1], ranks[a]);
    std::swap(ranks[left - 2], ranks[b]);
  }
  if (left == 2 && draws.below(2, 1).first == 0) std::swap(ranks[0], ranks[1]);
}

// One layer of one sequence: the position of each rank.
void place(std::span<const std::uint32_t> ranks, const CellCounts& cells, std::uint32_t layer,
           std::span<std::uint32_t> places) {
  for (std::size_t i = 0; i < ranks.size(); ++i)
    places[ranks[i]] = cells.place(static_cast<std::uint32_t>(i), layer);
}

}  // namespace

void SequenceBatch::add(std::span<const TokenId> tokens, const Sequence& sequence) {
  sequences_.push_back(sequence);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
}

void SequenceBatch::rank_tokens() {
  runs_.clear();
  if (tokens_.empty()) return;
  const TokenId largest = *std::max_element(tokens_.begin(), tokens_.end());
  if (largest >= starts_.size()) starts_.resize(std::size_t{largest} + 1);
  for (const TokenId token : tokens_)
    if (starts_[token]++ == 0) runs_.push_back({.token = token});
  std::uint32_t next = 0;
  for (Run& run : runs_) {
    run.first = next;
    run.last = next += starts_[run.token];
    starts_[run.token] = run.first;
  }
  ranks_.resize(tokens_.size());
  for (std::size_t i = 0; i < tokens_.size(); ++i) ranks_[i] = starts_[tokens_[i]]++;
  for (const Run& run : runs_) starts_[run.token] = 0;
}

void SequenceBatch::shuffle(const CellCounts& shuffled, std::uint32_t number, std::uint64_t seed,
                            std::span<std::uint32_t> places) {
  std::span<std::uint32_t> left(ranks_);
  for (const Sequence& sequence : sequences_) {
    const auto ranks = left.first(sequence.size);
    permute(ranks.subspan(sequence.fixed, sequence.movable),
            Draws(Rng(seed, sequence.key).at(number)));
    place(ranks, shuffled, number, places);
    left = left.subspan(sequence.size);
  }
}

void SequenceBatch::add_runs(CellCounts& cells, std::size_t layers) const {
  constexpr std::size_t kAhead = 8;
  const std::span<const std::uint32_t> places(places_);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (i + kAhead < runs_.size()) cells.expect(runs_[i + kAhead].token);
    const auto& [token, first, last] = runs_[i];
    for (std::size_t layer = 0; layer < layers; ++layer)
      cells.add(token, places.subspan(layer * tokens_.size() + first, last - first));
  }
}

void SequenceBatch::count(CellCounts& blocks, CellCounts& shuffled, Index shuffles,
                          std::uint64_t seed) {
  rank_tokens();
  const std::size_t size = tokens_.size();
  const auto layers = static_cast<std::size_t>(shuffles);
  const std::size_t together = std::clamp<std::size_t>(kMostPlaces / std::max<std::size_t>(size, 1),
                                                       1, std::max<std::size_t>(layers, 1));
  places_.resize(size * together);
  const std::span places(places_);

  std::span<const std::uint32_t> left(ranks_);
  for (const Sequence& sequence : sequences_) {
    place(left.first(sequence.size), blocks, sequence.block, places);
    left = left.subspan(sequence.size);
  }
  add_runs(blocks, 1);

  for (std::size_t first = 0; first < layers; first += together) {
    const std::size_t count = std::min(together, layers - first);
    for (std::size_t k = 0; k < count; ++k)
      shuffle(shuffled, static_cast<std::uint32_t>(first + k), seed,
              places.subspan(k * size, size));
    add_runs(shuffled, count);
  }
  sequences_.clear();
  tokens_.clear();
}

std::uint64_t SequenceBatch::bytes() const {
  return sequences_.capacity() * sizeof(Sequence) + runs_.capacity() * sizeof(Run) +
         (tokens_.capacity() + ranks_.capacity() + starts_.capacity() + places_.capacity()) *
             sizeof(std::uint32_t);
}

}  // namespace sextant
