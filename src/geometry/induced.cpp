// SPDX-License-Identifier: Apache-2.0
#include "geometry/induced.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/check.h"

namespace sextant {
namespace {

double mean_bias(const LogitBias& bias, Index heads, double s, double t) {
  double sum = 0.0;
  for (Index h = 0; h < heads; ++h) sum += bias.at(h, s, t);
  return sum / static_cast<double>(heads);
}

double mean_constant(const KeyOffset& offset, Index heads, double s, double t) {
  double sum = 0.0;
  for (Index h = 0; h < heads; ++h) sum += offset.at(h, s, t).c;
  return sum / static_cast<double>(heads);
}

double mean_diagonal(const Matrix& m) {
  double sum = 0.0;
  for (Index i = 0; i < m.rows(); ++i) sum += m(i, i);
  return sum / static_cast<double>(m.rows());
}

// E[logit] for one random unit vector q = k: trace(M)/d + c of the pair form; the linear terms have
// mean 0.
double mean_logit(const Effects& effects, const Extent& extent, double s, double t) {
  if (effects.input && effects.query_key) {
    double sum = 0.0;
    for (Index h = 0; h < extent.heads; ++h) {
      const PairForm form = pair_form(effects, extent, h, s, t);
      sum += mean_diagonal(form.m) + form.c;
    }
    return sum / static_cast<double>(extent.heads);
  }
  double k = effects.query_key ? mean_diagonal(effects.query_key->between(s, t)) : 1.0;
  if (effects.input) {
    Vector row_s(static_cast<std::size_t>(extent.dim)), row_t(row_s.size());
    effects.input->row(s, row_s);
    effects.input->row(t, row_t);
    k += std::inner_product(row_s.begin(), row_s.end(), row_t.begin(), 0.0);
  }
  if (effects.logit) k += mean_bias(*effects.logit, extent.heads, s, t);
  if (effects.key_offset) k += mean_constant(*effects.key_offset, extent.heads, s, t);
  return k;
}

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
  return [&effects, extent](double s, double t) { return mean_logit(effects, extent, s, t); };
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
  DistanceMatrix result(n);
  auto out = result.values().begin();
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t j = i + 1; j < own.size(); ++j) {
      const auto s = static_cast<double>(positions[j]), t = static_cast<double>(positions[i]);
      *out++ = distance(own[j], own[i], k(s, t));
    }
  }
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
