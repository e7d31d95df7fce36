// SPDX-License-Identifier: Apache-2.0
#include "cli/kernel_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace sextant::cli {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Window {
  Index positions;
  Index query;
};

// value(t) against the lag, from the most distant key ahead to the most distant key behind.
PlotSeries over_lags(const Window& window, const std::string& label,
                     const std::function<double(double)>& value) {
  PlotSeries series{label, {}, {}};
  for (Index t = window.positions - 1; t >= 0; --t) {
    series.x.push_back(static_cast<double>(window.query - t));
    series.y.push_back(value(static_cast<double>(t)));
  }
  return series;
}

// One series per head of interest, or a single one where all heads agree.
std::vector<PlotSeries> over_heads(const Window& window, Index heads,
                                   const std::function<double(Index, double)>& value) {
  std::vector<Index> chosen = {0, (heads - 1) / 2, heads - 1};
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  std::vector<PlotSeries> result;
  result.reserve(chosen.size());
  for (const Index head : chosen) {
    result.push_back(over_lags(window, fmt::format("head {}", head),
                               [&value, head](double t) { return value(head, t); }));
  }
  const bool equal = std::all_of(result.begin(), result.end(),
                                 [&](const PlotSeries& s) { return s.y == result.front().y; });
  if (equal) result.resize(1);
  return result;
}

KernelCurve input_curve(const InputTable& table, const Extent& extent, const Window& window) {
  const auto row = [&](double t) {
    Vector values(static_cast<std::size_t>(extent.dim));
    table.row(t, values);
    return values;
  };
  const Vector query = row(static_cast<double>(window.query));
  const auto cosine = [&](double t) {
    const Vector key = row(t);
    return dot(query, key) / std::sqrt(dot(query, query) * dot(key, key));
  };
  return {fmt::format("cosine of the rows p_s and p_t, s = {}, {} dimensions", window.query,
                      extent.dim),
          {over_lags(window, "", cosine)}};
}

KernelCurve query_key_curve(const QueryKeyMap& map, const Window& window) {
  const auto mean_logit = [&](double t) {
    const Matrix a = map.at(static_cast<double>(window.query) - t);
    double trace = 0.0;
    for (Index i = 0; i < a.rows(); ++i) trace += a(i, i);
    return trace / static_cast<double>(a.rows());
  };
  const std::string_view axes = map.groups.size() > 1 ? ", same lag on all axes" : "";
  return {fmt::format("trace A(lag) / {}: mean logit of a random unit q = k{}", map.dim(), axes),
          {over_lags(window, "", mean_logit)}};
}

KernelCurve bias_curve(const LogitBias& bias, Index heads, const Window& window) {
  const auto s = static_cast<double>(window.query);
  const std::string where =
      bias.depends_on_lag_only ? "b(lag)" : fmt::format("b(s, t) at s = {}", window.query);
  return {fmt::format("{} added to the logit, {} heads", where, heads),
          over_heads(window, heads, [&](Index head, double t) { return bias.at(head, s, t); })};
}

KernelCurve offset_curve(const KeyOffset& offset, Index heads, const Window& window) {
  const auto s = static_cast<double>(window.query);
  return {"|u(lag)|: length of what the query is multiplied with",
          over_heads(window, heads, [&](Index head, double t) {
            const Vector u = offset.at(head, s, t).u;
            return std::sqrt(dot(u, u));
          })};
}

}  // namespace

std::vector<KernelCurve> kernel_curves(const Encoding& encoding, Index dim, Index heads,
                                       Index reach) {
  const bool causal = encoding.claims().needs_causal_mask == Claim::kYes;
  const Window window = {causal ? reach + 1 : 2 * reach + 1, reach};
  const Extent extent = {.positions = window.positions, .dim = dim, .heads = heads};
  const Effects effects = encoding.effects(extent);
  std::vector<KernelCurve> curves;
  if (effects.input) curves.push_back(input_curve(*effects.input, extent, window));
  if (effects.query_key) curves.push_back(query_key_curve(*effects.query_key, window));
  if (effects.logit) curves.push_back(bias_curve(*effects.logit, heads, window));
  if (effects.key_offset) curves.push_back(offset_curve(*effects.key_offset, heads, window));
  return curves;
}

}  // namespace sextant::cli
