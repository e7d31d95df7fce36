// SPDX-License-Identifier: Apache-2.0
#include "theory/attention_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sextant {
namespace {

// Sums of a softmax in one pass; weights are relative to the largest logit so far.
class Softmax {
 public:
  void add(double logit, double lag, bool beyond) {
    if (logit == -std::numeric_limits<double>::infinity()) return;  // masked
    finite_ = finite_ && std::isfinite(logit);
    low_ = std::min(low_, logit);
    high_ = std::max(high_, logit);
    if (logit > largest_) raise(logit);
    const double weight = std::exp(logit - largest_);
    total_ += weight;
    logits_ += weight * (logit - largest_);
    lags_ += weight * lag;
    if (beyond) beyond_ += weight;
  }

  HeadRow row() const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {.weight_beyond = beyond_ / total_,
            .effective_keys = total_ * std::exp(-logits_ / total_),
            .mean_lag = lags_ / total_,
            .low = finite_ ? low_ : kNone,
            .high = finite_ ? high_ : kNone};
  }
  double weight(double logit) const { return std::exp(logit - largest_) / total_; }

 private:
  void raise(double logit) {
    if (total_ > 0.0) {
      const double shrink = std::exp(largest_ - logit);
      logits_ = shrink * (logits_ + total_ * (largest_ - logit));
      total_ *= shrink;
      lags_ *= shrink;
      beyond_ *= shrink;
    }
    largest_ = logit;
  }

  double largest_ = -std::numeric_limits<double>::infinity();
  double total_ = 0.0;
  double logits_ = 0.0;  // weighted, minus the largest
  double lags_ = 0.0;
  double beyond_ = 0.0;
  bool finite_ = true;
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

// Query s sees lags 0..s: where only the lag counts, one softmax grows by a key for each query.
void attend_by_lag(const HeadLogits& logits, Index train, HeadAttention& result) {
  Softmax softmax;
  Vector one(1);
  for (Index lag = 0; lag < logits.positions(); ++lag) {
    logits.diagonal(lag, one);
    const double logit = one.front();
    softmax.add(logit, static_cast<double>(lag), lag >= train);
    result.first_key.push_back(logit);
    result.rows.push_back(softmax.row());
  }
  for (const double logit : result.first_key) result.weights.push_back(softmax.weight(logit));
}

void attend(const HeadLogits& logits, Index train, HeadAttention& result) {
  const Index n = logits.positions();
  std::vector<Softmax> queries(static_cast<std::size_t>(n));
  Vector buffer(queries.size()), of_last;
  of_last.reserve(queries.size());
  for (Index lag = 0; lag < n; ++lag) {
    const auto diagonal = std::span(buffer).first(static_cast<std::size_t>(n - lag));
    logits.diagonal(lag, diagonal);
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      const Index place = logits.has_rows() ? static_cast<Index>(i) : lag;
      queries[i + static_cast<std::size_t>(lag)].add(diagonal[i], static_cast<double>(lag),
                                                     place >= train);
    }
    result.first_key.push_back(diagonal.front());
    of_last.push_back(diagonal.back());
  }
  for (const Softmax& query : queries) result.rows.push_back(query.row());
  for (const double logit : of_last) result.weights.push_back(queries.back().weight(logit));
}

}  // namespace

HeadAttention head_attention(const HeadLogits& logits, Index train) {
  HeadAttention result;
  const auto n = static_cast<std::size_t>(logits.positions());
  result.first_key.reserve(n);
  result.weights.reserve(n);
  result.rows.reserve(n);
  if (logits.by_lag())
    attend_by_lag(logits, train, result);
  else
    attend(logits, train, result);
  return result;
}

std::span<const double> weights_beyond(const HeadLogits& logits, std::span<const double> weights,
                                       Index train) {
  const auto known = std::min(weights.size(), static_cast<std::size_t>(train));
  // Key t has lag positions-1-t: new positions are the near ones.
  return logits.has_rows() ? weights.first(weights.size() - known) : weights.subspan(known);
}

TailShape tail_shape(std::span<const double> tail) {
  if (tail.size() < kFewestSteps + 1) return {};
  if (!std::ranges::all_of(tail, [](double w) { return std::isfinite(w); })) return {};
  double up = 0.0, down = 0.0;
  for (std::size_t i = 1; i < tail.size(); ++i) {
    if (tail[i] > tail[i - 1] * (1.0 + kStep)) up += 1.0;
    if (tail[i - 1] > tail[i] * (1.0 + kStep)) down += 1.0;
  }
  const auto steps = static_cast<double>(tail.size() - 1);
  TailShape shape{.tail = Tail::kErratic, .roughness = up / steps};
  const auto [least, most] = std::ranges::minmax(tail);
  const bool vanished = most == 0.0;  // below the smallest double
  if (!vanished && most - least <= kFlat * most)
    shape.tail = Tail::kFlat;
  else if (vanished || (up <= kSmooth * steps && tail.back() < tail.front()))
    shape.tail = Tail::kDecays;
  else if (down <= kSmooth * steps && tail.back() > tail.front())
    shape.tail = Tail::kGrows;
  return shape;
}

}  // namespace sextant
