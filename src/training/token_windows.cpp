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

// Counts of tokens with their entropy at hand.
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
  }
  void replace(std::int32_t old_token, std::int32_t new_token) {
    if (old_token == new_token) return;
    std::size_t& less = counts_[static_cast<std::size_t>(old_token)];
    std::size_t& more = counts_[static_cast<std::size_t>(new_token)];
    sum_ += times_log(less - 1) - times_log(less) + times_log(more + 1) - times_log(more);
    if (--less == 0) --kinds_;
    if (++more == 1) ++kinds_;
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
    return static_cast<double>(*std::ranges::max_element(counts_)) / static_cast<double>(total_);
  }

 private:
  std::vector<std::size_t> counts_;
  std::size_t kinds_ = 0, total_ = 0;
  double sum_ = 0.0;  // of c log c
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
double TokenWindows::position_entropy(std::size_t length, std::size_t first, double& bias) const {
  const std::size_t sequences = long_enough(length);
  TokenBag bag(corpus_->vocabulary);
  for (std::size_t i = 0; i < sequences; ++i)
    for (std::size_t k = first; k <= first + last_place(i, length); ++k)
      bag.add(corpus_->tokens[places_[i] + k]);
  bag.settle();
  double sum = bag.entropy();
  bias = bag.missing();
  for (std::size_t t = first + 1; t < length; ++t) {
    for (std::size_t i = 0; i < sequences; ++i) {
      const std::int32_t* const tokens = corpus_->tokens.data() + places_[i];
      bag.replace(tokens[t - 1], tokens[last_place(i, length) + t]);
    }
    sum += bag.entropy();
    bias += bag.missing();
  }
  bias /= static_cast<double>(length - first);
  return sum / static_cast<double>(length - first);
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
  double bias = 0.0;
  const double by_position = exchangeable ? bag.entropy() : position_entropy(n, from, bias);
  const std::string own = "counted on the same texts";
  return {{.name = "best constant", .value = bag.entropy(), .how = own},
          {.name = "best constant", .value = bag.largest_share(), .of_accuracy = true, .how = own},
          {.name = "position only",
           .value = by_position,
           .how = exchangeable ? "no position differs: the best constant" : own,
           .caution = bias > 0.0 ? fmt::format("too low by about {:.2g}", bias) : std::string()},
          {.name = "chance", .value = std::log(static_cast<double>(corpus_->vocabulary))}};
}

}  // namespace sextant
