// SPDX-License-Identifier: Apache-2.0
#include "groups/lag_means.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/check.h"

namespace sextant {
namespace {

constexpr double kLagRounding = 1e-12;  // relative to the farthest position
constexpr double kMostBytes = 2147483648.0;
constexpr double kCopies = 2.0;  // the mean, and the same over that of lag 0

using Cell = std::array<Index, kMaxAxes>;

Index axes_of(std::span<const SampledPair> pairs) {
  Index axes = 1;
  for (const SampledPair& pair : pairs) axes = std::max({axes, pair.s.axes(), pair.t.axes()});
  return axes;
}

double farthest(std::span<const SampledPair> pairs, Index axes) {
  double result = 0.0;
  for (const SampledPair& pair : pairs)
    for (Index a = 0; a < axes; ++a)
      result = std::max({result, std::abs(pair.s[a]), std::abs(pair.t[a])});
  return result;
}

// Numbers of the lags on one axis: values closer than the tolerance share one.
std::vector<Index> numbered(const std::vector<double>& values, double tolerance) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<Index> result(values.size());
  Index number = 0;
  for (std::size_t n = 0; n < order.size(); ++n) {
    if (n > 0 && values[order[n]] - values[order[n - 1]] > tolerance) ++number;
    result[order[n]] = number;
  }
  return result;
}

std::vector<Cell> cells_of(std::span<const SampledPair> pairs, Index axes, double tolerance) {
  std::vector<Cell> cells(pairs.size());
  for (Index a = 0; a < axes; ++a) {
    std::vector<double> values;
    for (const SampledPair& pair : pairs) values.push_back(pair.s[a] - pair.t[a]);
    const std::vector<Index> numbers = numbered(values, tolerance);
    for (std::size_t n = 0; n < cells.size(); ++n)
      cells[n][static_cast<std::size_t>(a)] = numbers[n];
  }
  return cells;
}

// Positive, so that forms beyond 1e150 have a mean too.
double weight(const SampledPair& pair) {
  return std::max(1.0 / pair.scale / pair.scale, std::numeric_limits<double>::min());
}

// Fills residual and worst from a second look at the forms.
void measure(std::span<const SampledPair> pairs, const std::vector<std::size_t>& lag_of,
             const std::function<EigenMatrix(std::size_t)>& form, LagMeans& result) {
  double off = 0.0, all = 0.0, worst = 0.0;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    const EigenMatrix m = form(n);
    const double gap = (m - result.lags[lag_of[n]].mean).stableNorm() / pairs[n].scale;
    const double size = m.stableNorm() / pairs[n].scale;
    off += gap * gap;
    all += size * size;
    if (!(gap > worst)) continue;
    worst = gap;
    result.worst = MapTest::Pair{
        .i = pairs[n].i, .j = pairs[n].j, .s = pairs[n].s[0], .t = pairs[n].t[0], .residual = gap};
  }
  result.residual = all > 0.0 ? std::sqrt(off / all) : 0.0;
  if (result.worst && all > 0.0)  // relative to a form of mean size
    result.worst->residual *= std::sqrt(static_cast<double>(pairs.size()) / all);
}

}  // namespace

const LagMean* LagMeans::find(const Position& lag) const {
  // -1 before, 0 at and 1 after the lag asked for.
  const auto side = [&](const LagMean& other) {
    for (Index a = 0; a < axes; ++a) {
      const double ahead = other.lag[a] - lag[a];
      if (std::abs(ahead) > tolerance) return ahead < 0.0 ? -1 : 1;
    }
    return 0;
  };
  const auto found = std::partition_point(lags.begin(), lags.end(),
                                          [&](const LagMean& other) { return side(other) < 0; });
  return found == lags.end() || side(*found) != 0 ? nullptr : &*found;
}

std::vector<const LagMean*> LagMeans::scalar() const {
  std::vector<const LagMean*> result;
  for (const LagMean& lag : lags) {
    bool equal = true;
    for (Index a = 1; a < axes; ++a)
      equal = equal && std::abs(lag.lag[a] - lag.lag[0]) <= tolerance;
    if (equal) result.push_back(&lag);
  }
  return result;
}

void check_room(std::span<const SampledPair> pairs, Index dim, std::string_view where) {
  const Index axes = axes_of(pairs);
  const std::vector<Cell> cells = cells_of(pairs, axes, kLagRounding * farthest(pairs, axes));
  const std::size_t lags = std::set<Cell>(cells.begin(), cells.end()).size();
  const auto d = static_cast<double>(dim);
  const double bytes = kCopies * static_cast<double>(lags) * d * d * double{sizeof(double)};
  if (bytes > kMostBytes)
    fail(ErrorCode::kRefused, where,
         "{} lags of maps {} x {} would take {:.1f} GB, more than {:.1f}: give fewer positions, "
         "evenly "
         "spaced, or a smaller dim",
         lags, dim, dim, bytes * 1e-9, kMostBytes * 1e-9);
}

LagMeans lag_means(std::span<const SampledPair> pairs,
                   const std::function<EigenMatrix(std::size_t)>& form) {
  LagMeans result;
  result.axes = axes_of(pairs);
  result.tolerance = kLagRounding * farthest(pairs, result.axes);
  const std::vector<Cell> cells = cells_of(pairs, result.axes, result.tolerance);

  std::map<Cell, std::size_t> numbers;
  for (const Cell& cell : cells) numbers.emplace(cell, 0);
  std::size_t next = 0;
  for (auto& [cell, number] : numbers) number = next++;
  result.lags.resize(next);

  std::vector<std::size_t> lag_of;
  for (std::size_t n = 0; n < pairs.size(); ++n) {
    lag_of.push_back(numbers.at(cells[n]));
    LagMean& lag = result.lags[lag_of.back()];
    const EigenMatrix m = form(n);
    if (lag.pairs == 0) {
      lag.lag = pairs[n].s - pairs[n].t;
      lag.mean = EigenMatrix::Zero(m.rows(), m.cols());
    }
    lag.mean += weight(pairs[n]) * m;
    lag.weight += weight(pairs[n]);
    if (++lag.pairs == 1) continue;
    result.repeated = true;
    for (Index a = 0; a < result.axes; ++a)
      if (std::abs(lag.lag[a]) > result.tolerance) result.compared = true;
  }
  for (LagMean& lag : result.lags) lag.mean /= lag.weight;
  measure(pairs, lag_of, form, result);
  return result;
}

}  // namespace sextant
