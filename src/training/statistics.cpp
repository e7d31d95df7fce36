// SPDX-License-Identifier: Apache-2.0
#include "training/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "math/student.h"

namespace sextant {
namespace {

constexpr double kInterval = 0.95;

struct Moments {
  double mean = 0.0, sd = 0.0;  // sd of one value is 0
};

Moments moments(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? std::sqrt(squares / (n - 1.0)) : 0.0};
}

double quantile(std::span<const double> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

std::vector<std::size_t> order_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

// Twice the rank of each, from 1, so that the mean of tied ranks is an integer.
std::vector<std::size_t> doubled_ranks(std::span<const double> values) {
  const std::vector<std::size_t> order = order_of(values);
  std::vector<std::size_t> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = first + last + 2;
    first = last + 1;
  }
  return ranks;
}

}  // namespace

Summary summary(std::span<const double> values) {
  assert(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const Moments m = moments(sorted);
  Summary result{.count = static_cast<Index>(values.size()),
                 .mean = m.mean,
                 .median = quantile(sorted, 0.5),
                 .q1 = quantile(sorted, 0.25),
                 .q3 = quantile(sorted, 0.75)};
  if (result.count > 1) {
    const auto n = static_cast<double>(result.count);
    result.sd = m.sd;
    result.half_width = student_quantile(1.0 - kInterval, n - 1.0) * m.sd / std::sqrt(n);
  }
  return result;
}

double wilcoxon_two_sided(std::span<const double> differences) {
  std::vector<double> sizes;
  sizes.reserve(differences.size());
  for (const double difference : differences) sizes.push_back(std::abs(difference));
  const std::vector<std::size_t> ranks = doubled_ranks(sizes);

  std::vector<double> law = {1.0};  // of the sum of the ranks of positive differences
  std::size_t observed = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (differences[i] == 0.0) continue;
    if (differences[i] > 0.0) observed += ranks[i];
    std::vector<double> next(law.size() + ranks[i]);
    for (std::size_t s = 0; s < law.size(); ++s) {
      next[s] += 0.5 * law[s];
      next[s + ranks[i]] += 0.5 * law[s];
    }
    law = std::move(next);
  }
  // The law is symmetric about half of the largest sum: as far from it as the observed one.
  const auto largest = static_cast<Index>(law.size()) - 1;
  const auto distance = [largest](std::size_t s) {
    return std::abs(2 * static_cast<Index>(s) - largest);
  };
  double p = 0.0;
  for (std::size_t s = 0; s < law.size(); ++s)
    if (distance(s) >= distance(observed)) p += law[s];
  return std::min(p, 1.0);
}

PairedComparison paired_comparison(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  PairedComparison result{.pairs = static_cast<Index>(a.size())};
  if (a.empty()) return result;
  std::vector<double> differences(a.size());
  std::ranges::transform(a, b, differences.begin(), std::minus());
  const auto [mean, sd] = moments(differences);
  result.difference = mean;
  result.p_wilcoxon = wilcoxon_two_sided(differences);
  if (result.pairs < 2) return result;
  const auto n = static_cast<double>(result.pairs);
  const double t = mean == 0.0 ? 0.0
                   : sd == 0.0 ? std::numeric_limits<double>::infinity()
                               : mean / (sd / std::sqrt(n));
  result.p_t = student_two_sided(t, n - 1.0);
  return result;
}

PairedComparison paired_comparison(const BySeed& a, const BySeed& b) {
  std::vector<double> left, right;
  for (const auto& [seed, value] : a) {
    const auto other = b.find(seed);
    if (other == b.end()) continue;
    left.push_back(value);
    right.push_back(other->second);
  }
  return paired_comparison(left, right);
}

std::vector<double> holm(std::span<const double> p) {
  const std::vector<std::size_t> order = order_of(p);
  std::vector<double> result(p.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, static_cast<double>(order.size() - i) * p[order[i]]);
    result[order[i]] = std::min(1.0, largest);
  }
  return result;
}

}  // namespace sextant
