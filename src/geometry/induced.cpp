// SPDX-License-Identifier: Apache-2.0
#include "geometry/induced.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/check.h"

namespace sextant {
namespace {

constexpr Index kMostWritten = 16384;  // positions; beyond, the pairs would take hours

double mean_bias(const LogitBias& bias, Index heads, double s, double t) {
  double sum = 0.0;
  for (Index h = 0; h < heads; ++h) sum += bias.at(h, s, t);
  return sum / static_cast<double>(heads);
}

double mean_diagonal(const Matrix& m) {
  double sum = 0.0;
  for (Index i = 0; i < m.rows(); ++i) sum += m(i, i);
  return sum / static_cast<double>(m.rows());
}

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// E[logit] for one random unit vector q = k: trace(M)/d + c of the pair form; the linear terms have
// mean 0. Pairs of one lag after the other are cheap: the map between two positions depends on
// their lag.
class MeanLogit {
 public:
  MeanLogit(const Effects& effects, const Extent& extent) : effects_(effects), extent_(extent) {}

  double operator()(double s, double t) {
    if (effects_.query_key && lag_ != s - t) {
      map_ = effects_.query_key->between(s, t);
      trace_ = mean_diagonal(map_);
      lag_ = s - t;
    }
    double k = trace_;
    if (effects_.input) k += dot(row(s), mapped(row(t)));
    if (effects_.logit) k += mean_bias(*effects_.logit, extent_.heads, s, t);
    if (effects_.key_offset) k += mean_offset(s, t);
    return k;
  }

 private:
  const Vector& row(double t) {
    const auto [place, is_new] = rows_.try_emplace(t);
    if (is_new) {
      place->second.resize(static_cast<std::size_t>(extent_.dim));
      effects_.input->row(t, place->second);
    }
    return place->second;
  }

  Vector mapped(const Vector& x) const {
    if (!effects_.query_key) return x;
    Vector y;
    for (Index i = 0; i < map_.rows(); ++i)
      y.push_back(std::inner_product(x.begin(), x.end(), map_.row(i).begin(), 0.0));
    return y;
  }

  double mean_offset(double s, double t) {
    double sum = 0.0;
    for (Index h = 0; h < extent_.heads; ++h) {
      const LinearTerms terms = effects_.key_offset->at(h, s, t);
      sum += terms.c;
      if (effects_.input) sum += dot(terms.u, row(s)) + dot(terms.v, row(t));
    }
    return sum / static_cast<double>(extent_.heads);
  }

  const Effects& effects_;
  Extent extent_;
  std::unordered_map<double, Vector> rows_;
  std::optional<double> lag_;  // of map_
  Matrix map_;
  double trace_ = 1.0;  // over d; of the identity where nothing maps
};

bool depends_on_lag_only(const Effects& effects) {
  return !effects.input && !effects.key_offset &&
         (!effects.logit || effects.logit->depends_on_lag_only);
}

// K or b of query s and key t under a rule.
std::function<double(double, double)> similarity(const Effects& effects, const Extent& extent,
                                                 Rule rule) {
  if (rule == Rule::kLine || rule == Rule::kBrownian) {
    return [&effects, heads = extent.heads](double s, double t) {
      return mean_bias(*effects.logit, heads, s, t);
    };
  }
  return [logit = MeanLogit(effects, extent)](double s, double t) mutable { return logit(s, t); };
}

// The distance from K or b at (s,s), (t,t), (s,t); negative ones are counted and become 0.
class DistanceOf {
 public:
  explicit DistanceOf(Rule rule) : rule_(rule) {}

  double operator()(double ss, double tt, double st) {
    const double value = rule_ == Rule::kKernel ? ss + tt - 2.0 * st : ss - st;
    if (!std::isfinite(value)) {
      fail(ErrorCode::kNumeric, name(rule_), "a distance between positions is not finite");
    }
    ++pairs_;
    // Rounding of K(s,s) + K(t,t) - 2 K(s,t) is no finding.
    const double rounding = 1e-14 * (std::abs(ss) + std::abs(tt) + std::abs(st));
    if (value < -rounding) ++negative_;
    if (value <= rounding) return 0.0;
    return rule_ == Rule::kLine ? value : std::sqrt(value);
  }
  double negative_share() const {
    return pairs_ == 0 ? 0.0 : static_cast<double>(negative_) / static_cast<double>(pairs_);
  }

 private:
  Rule rule_;
  Index pairs_ = 0;
  Index negative_ = 0;
};

bool consecutive(std::span<const Index> positions) {
  return positions.empty() ||
         positions.back() - positions.front() + 1 == static_cast<Index>(positions.size());
}

// use(i, j) for all i < j, pairs of one lag after the other. REQUIRES: positions ascend.
template <typename Use>
void for_each_pair_by_lag(std::span<const Index> positions, const Use& use) {
  if (positions.empty()) return;
  std::vector<Index> place(static_cast<std::size_t>(positions.back() - positions.front() + 1), -1);
  for (std::size_t i = 0; i < positions.size(); ++i)
    place[static_cast<std::size_t>(positions[i] - positions.front())] = static_cast<Index>(i);
  for (std::size_t lag = 1; lag < place.size(); ++lag)
    for (std::size_t at = 0; at + lag < place.size(); ++at)
      if (place[at] >= 0 && place[at + lag] >= 0) use(place[at], place[at + lag]);
}

Induced from_rows(const Effects& effects, const Extent& extent, std::span<const Index> positions) {
  Matrix points(static_cast<Index>(positions.size()), extent.dim);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    effects.input->row(static_cast<double>(positions[k]), points.row(static_cast<Index>(k)));
  }
  for (const double value : points.values()) {
    if (!std::isfinite(value)) fail(ErrorCode::kNumeric, "rows", "a value is not finite");
  }
  return {Rule::kRows, distances_of_rows(std::move(points)), {}, 0.0};
}

}  // namespace

std::string_view name(Rule rule) {
  constexpr std::string_view kNames[] = {"rows", "kernel", "line", "brownian"};
  return kNames[static_cast<std::size_t>(rule)];
}

std::vector<Rule> rules_for(const Effects& effects) {
  const int sites = int{effects.input.has_value()} + int{effects.query_key.has_value()} +
                    int{effects.logit.has_value()} + int{effects.key_offset.has_value()};
  if (sites == 0) return {};
  if (sites == 1 && effects.input) return {Rule::kRows};
  if (sites == 1 && effects.logit) return {Rule::kLine, Rule::kBrownian};
  return {Rule::kKernel};
}

Induced induced_distances(const Effects& effects, const Extent& extent, Rule rule,
                          std::span<const Index> positions) {
  if (rule == Rule::kRows) return from_rows(effects, extent, positions);
  const auto n = static_cast<Index>(positions.size());
  const auto k = similarity(effects, extent, rule);
  DistanceOf distance(rule);
  if (depends_on_lag_only(effects) && consecutive(positions)) {
    Vector by_lag(positions.size());
    const double here = k(0.0, 0.0);
    for (std::size_t lag = 1; lag < by_lag.size(); ++lag)
      by_lag[lag] = distance(here, here, k(static_cast<double>(lag), 0.0));
    return {rule, distances_by_lag(n, by_lag), by_lag, distance.negative_share()};
  }
  Vector own(positions.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto t = static_cast<double>(positions[i]);
    own[i] = k(t, t);
  }
  if (n > kMostWritten) {
    fail(ErrorCode::kRefused, name(rule),
         "distances that depend on both positions are written out for up to {} positions, here {}",
         kMostWritten, n);
  }
  DistanceMatrix result(n);
  for_each_pair_by_lag(positions, [&](Index i, Index j) {
    const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(j);
    const auto s = static_cast<double>(positions[to]), t = static_cast<double>(positions[from]);
    result.values()[static_cast<std::size_t>(result.row_start(i) + j - i - 1)] =
        distance(own[to], own[from], k(s, t));
  });
  return {rule, distances_of(std::move(result)), {}, distance.negative_share()};
}

Vector kernel_by_lag(const Effects& effects, const Extent& extent, Rule rule, Index n) {
  const auto k = similarity(effects, extent, rule);
  Vector result;
  for (Index lag = 0; lag < n; ++lag)
    result.push_back(k(static_cast<double>(n - 1), static_cast<double>(n - 1 - lag)));
  return result;
}

}  // namespace sextant
