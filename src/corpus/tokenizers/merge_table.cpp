// SPDX-License-Identifier: Apache-2.0
// A queue of candidates over a linked list; candidates that no longer hold are dropped when they
// come up.
#include "corpus/tokenizers/merge_table.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/check.h"

namespace sextant {
namespace {

constexpr std::uint32_t kEnd = ~std::uint32_t{0};
constexpr TokenId kGone = ~TokenId{0};

}  // namespace

MergeTable::MergeTable(std::size_t most)
    : mask_(std::bit_ceil(2 * most + 2) - 1), slots_(mask_ + 1) {}

bool MergeTable::add(TokenId left, TokenId right, TokenId merged) {
  std::size_t at = place(pair(left, right));
  for (; slots_[at].pair != kFree; at = (at + 1) & mask_)
    if (slots_[at].pair == pair(left, right)) return false;
  slots_[at] = {pair(left, right), {used_++, merged}};
  return true;
}

void Merger::merge(std::vector<TokenId>& symbols) {
  constexpr std::size_t kShort = 24;
  if (symbols.size() <= kShort)
    merge_short(symbols);
  else
    merge_long(symbols);
}

void Merger::merge_short(std::vector<TokenId>& symbols) {
  while (symbols.size() > 1) {
    const MergeTable::Merge* best = nullptr;
    std::size_t best_at = 0;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
      const MergeTable::Merge* merge = table_.find(symbols[i], symbols[i + 1]);
      if (merge == nullptr || (best != nullptr && best->rank <= merge->rank)) continue;
      best = merge;
      best_at = i;
    }
    if (best == nullptr) return;
    symbols[best_at] = best->token;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best_at) + 1);
  }
}

std::optional<Merger::Candidate> Merger::candidate(const std::vector<TokenId>& symbols,
                                                   std::uint32_t at) const {
  if (at == kEnd || next_[at] == kEnd) return std::nullopt;
  const MergeTable::Merge* merge = table_.find(symbols[at], symbols[next_[at]]);
  if (merge == nullptr) return std::nullopt;
  return Candidate{merge->rank, at};
}

void Merger::merge_long(std::vector<TokenId>& symbols) {
  if (symbols.size() >= kEnd)
    fail(ErrorCode::kRefused, "merges", "a word of {} bytes is too long", symbols.size());
  const auto count = static_cast<std::uint32_t>(symbols.size());
  next_.resize(count);
  previous_.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    next_[i] = i + 1 < count ? i + 1 : kEnd;
    previous_[i] = i > 0 ? i - 1 : kEnd;
  }
  queue_.clear();
  for (std::uint32_t i = 0; i < count; ++i)
    if (const auto found = candidate(symbols, i)) queue_.push_back(*found);
  std::ranges::make_heap(queue_, std::greater{});
  const auto push = [&](std::uint32_t at) {
    const auto found = candidate(symbols, at);
    if (!found) return;
    queue_.push_back(*found);
    std::ranges::push_heap(queue_, std::greater{});
  };
  while (!queue_.empty()) {
    std::ranges::pop_heap(queue_, std::greater{});
    const Candidate top = queue_.back();
    queue_.pop_back();
    const std::uint32_t at = top.at;
    if (symbols[at] == kGone || next_[at] == kEnd) continue;
    const MergeTable::Merge* merge = table_.find(symbols[at], symbols[next_[at]]);
    if (merge == nullptr || merge->rank != top.rank) continue;
    const std::uint32_t gone = next_[at];
    symbols[at] = merge->token;
    symbols[gone] = kGone;
    next_[at] = next_[gone];
    if (next_[at] != kEnd) previous_[next_[at]] = at;
    push(at);
    push(previous_[at]);
  }
  std::erase(symbols, kGone);
}

}  // namespace sextant
