// SPDX-License-Identifier: Apache-2.0
// With the longest sequences first, those that are long enough for a length are the first k, and
// the number of windows in the first k is a difference of sums: nothing is kept per length.
#include "training/token_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace sextant {
namespace {

double times_log(std::size_t count) {
  const auto c = static_cast<double>(count);
  return count == 0 ? 0.0 : c * std::log(c);
}

// Counts of tokens with their entropy and the largest of them at hand.
class TokenBag {
 public:
  explicit TokenBag(Index vocabulary) : counts_(static_cast<std::size_t>(vocabulary)) {}

  void add(std::int32_t token, std::size_t times = 1) {
    counts_[static_cast<std::size_t>(token)] += times;
  }
  // After the last add(): from here on tokens are only replaced.
  void settle() {
    for (const std::size_t count : counts_) {
      kinds_ += count > 0 ? 1 : 0;
      total_ += count;
      sum_ += times_log(count);
    }
    find_largest();
  }
  void replace(std::int32_t old_token, std::int32_t new_token) {
    if (old_token == new_token) return;
    std::size_t& less = counts_[static_cast<std::size_t>(old_token)];
    std::size_t& more = counts_[static_cast<std::size_t>(new_token)];
    sum_ += times_log(less - 1) - times_log(less) + times_log(more + 1) - times_log(more);
    if (less == largest_) --at_largest_;
    if (--less == 0) --kinds_;
    if (++more == 1) ++kinds_;
    if (more > largest_) {
      largest_ = more;
      at_largest_ = 1;
    } else if (more == largest_) {
      ++at_largest_;
    }
    if (at_largest_ == 0) find_largest();
  }

  double entropy() const {
    const auto n = static_cast<double>(total_);
    return std::max(0.0, std::log(n) - sum_ / n);
  }
  // What the entropy of a sample lacks on average, to first order (Miller 1955).
  double missing() const {
    return static_cast<double>(kinds_ - 1) / (2.0 * static_cast<double>(total_));
  }
  double largest_share() const {
    return static_cast<double>(largest_) / static_cast<double>(total_);
  }

 private:
  void find_largest() {
    largest_ = *std::ranges::max_element(counts_);
    at_largest_ = static_cast<std::size_t>(std::ranges::count(counts_, largest_));
  }

  std::vector<std::size_t> counts_;
  std::size_t kinds_ = 0, total_ = 0;
  std::size_t largest_ = 0, at_largest_ = 0;  // a count, and how many tokens have it
  double sum_ = 0.0;                          // of c log c
};

}  // namespace

Cut cut_by_name(std::string_view word) {
  if (word == "start") return Cut::kStart;
  return word == "anywhere" ? Cut::kAnywhere : Cut::kJoined;
}

TokenWindows::TokenWindows(std::shared_ptr<const TokenCorpus> corpus, Cut cut)
    : corpus_(std::move(corpus)), cut_(cut), sums_({0}) {
  if (cut == Cut::kJoined) {
    places_ = {0};
    sums_.push_back(corpus_->tokens.size());
    return;
  }
  const std::vector<std::size_t>& starts = corpus_->starts;
  std::vector<std::size_t> order(corpus_->size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto size_of = [&](std::size_t i) { return starts[i + 1] - starts[i]; };
  std::ranges::stable_sort(order, std::ranges::greater{}, size_of);
  places_.reserve(order.size());
  sums_.reserve(order.size() + 1);
  for (const std::size_t i : order) {
    places_.push_back(starts[i]);
    sums_.push_back(sums_.back() + size_of(i));
  }
}

std::size_t TokenWindows::long_enough(std::size_t length) const {
  std::size_t from = 0, to = places_.size();
  while (from < to) {
    const std::size_t middle = (from + to) / 2;
    if (size(middle) >= length)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

std::size_t TokenWindows::windows(std::size_t sequences, std::size_t length) const {
  return cut_ == Cut::kStart ? sequences : sums_[sequences] - sequences * (length - 1);
}

Index TokenWindows::count(Index length) const {
  require(length >= 1, corpus_->source, "a window must have at least 1 token but got {}", length);
  const auto tokens = static_cast<std::size_t>(length);
  const std::size_t sequences = long_enough(tokens);
  if (sequences > 0) return static_cast<Index>(windows(sequences, tokens));
  const std::size_t longest = places_.empty() ? 0 : size(0);
  if (cut_ == Cut::kJoined)
    fail(ErrorCode::kUsage, corpus_->source, "has {} tokens; {} are needed", longest, length);
  fail(ErrorCode::kUsage, corpus_->source,
       "none of the {} sequences has {} tokens; the longest has {}", places_.size(), length,
       longest);
}

std::span<const std::int32_t> TokenWindows::window(Index index, Index length) const {
  const auto number = static_cast<std::size_t>(index), tokens = static_cast<std::size_t>(length);
  // The last sequence before which there are at most `number` windows.
  std::size_t from = 0, to = long_enough(tokens);
  while (to - from > 1) {
    const std::size_t middle = (from + to) / 2;
    if (windows(middle, tokens) <= number)
      from = middle;
    else
      to = middle;
  }
  return std::span(corpus_->tokens).subspan(places_[from] + number - windows(from, tokens), tokens);
}

std::span<const std::int32_t> TokenWindows::drawn(Draws& draws, Index length) const {
  return window(draws.below(count(length)), length);
}

// From one position to the next, each sequence loses one token and gains one.
TokenWindows::PositionLaw TokenWindows::position_law(std::size_t length, std::size_t first) const {
  const std::size_t sequences = long_enough(length);
  TokenBag bag(corpus_->vocabulary);
  for (std::size_t i = 0; i < sequences; ++i)
    for (std::size_t k = first; k <= first + last_place(i, length); ++k)
      bag.add(corpus_->tokens[places_[i] + k]);
  bag.settle();
  PositionLaw mean;
  const auto count_in = [&] {
    const auto positions = static_cast<double>(length - first);
    mean.entropy += bag.entropy() / positions;
    mean.missing += bag.missing() / positions;
    mean.largest_share += bag.largest_share() / positions;
  };
  count_in();
  for (std::size_t t = first + 1; t < length; ++t) {
    for (std::size_t i = 0; i < sequences; ++i) {
      const std::int32_t* const tokens = corpus_->tokens.data() + places_[i];
      bag.replace(tokens[t - 1], tokens[last_place(i, length) + t]);
    }
    count_in();
  }
  return mean;
}

std::vector<Baseline> TokenWindows::baselines(Index length, Index first, bool exchangeable) const {
  count(length);
  const auto n = static_cast<std::size_t>(length), from = static_cast<std::size_t>(first);
  TokenBag bag(corpus_->vocabulary);
  for (std::size_t i = 0, sequences = long_enough(n); i < sequences; ++i) {
    const std::size_t last = last_place(i, n);
    for (std::size_t k = from; k < last + n; ++k) {
      // Positions that token k of the sequence has in windows that start at 0 to `last`.
      const std::size_t low = std::max(from, k - std::min(k, last)), high = std::min(k, n - 1);
      bag.add(corpus_->tokens[places_[i] + k], high + 1 - low);
    }
  }
  bag.settle();
  PositionLaw at{.entropy = bag.entropy(), .largest_share = bag.largest_share()};
  if (!exchangeable) at = position_law(n, from);
  const auto kinds = static_cast<double>(corpus_->vocabulary);
  const std::string own = "counted on the same texts";
  const std::string alike = "no position differs: the best constant";
  return {{.name = "best constant", .value = bag.entropy(), .how = own},
          {.name = "best constant", .value = bag.largest_share(), .of_accuracy = true, .how = own},
          {.name = "position only",
           .value = at.entropy,
           .how = exchangeable ? alike : own,
           .caution =
               exchangeable ? std::string() : fmt::format("too low by about {:.2g}", at.missing)},
          {.name = "position only",
           .value = at.largest_share,
           .of_accuracy = true,
           .how = exchangeable ? alike : own,
           .caution = exchangeable ? "" : "too high where texts are few"},
          {.name = "chance", .value = std::log(kinds)},
          {.name = "chance", .value = 1.0 / kinds, .of_accuracy = true}};
}

}  // namespace sextant
