// SPDX-License-Identifier: Apache-2.0
#include "encoding/absolute.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "math/eigen_map.h"

namespace sextant {

PositionRule::PositionRule(const Params& params, std::optional<Index> rows) {
  const std::string& rule = params.word("positions");
  if (rule == "absolute") return;
  kind_ = rule == "clamp" ? Kind::kClamp : Kind::kRescale;
  require(params.has("train") || rows, "positions", "{} needs train=N, the training length", rule);
  train_ = params.has("train") ? params.number("train") : static_cast<double>(*rows);
}

double PositionRule::operator()(double t, Index current_length) const {
  switch (kind_) {
    case Kind::kAbsolute:
      return t;
    case Kind::kClamp:
      return std::min(t, train_ - 1.0);
    case Kind::kRescale:
      return t * train_ / static_cast<double>(std::max<Index>(current_length, 1));
  }
  return t;
}

Claims PositionRule::adjusted(Claims claims) const {
  if (kind_ == Kind::kRescale) claims.length_free = Claim::kNo;
  if (kind_ == Kind::kClamp) {
    claims.any_length = Claim::kYes;
    claims.separates = Claim::kNo;
  }
  return claims;
}

RowTable::RowTable(Matrix rows, Beyond beyond, Index lines)
    : rows_(std::move(rows)), beyond_(beyond), lines_(lines) {
  require(rows_.rows() >= 1, "table", "must have at least one row");
  require(lines == 0 || rows_.rows() % lines == 0, "grid",
          "{} lines must divide the table's {} rows", lines, rows_.rows());
}

RowTable::Cell RowTable::cell(double t, Index count, Index stretch, std::string_view where) const {
  const auto last = static_cast<double>(count - 1);
  if (beyond_ == Beyond::kInterpolate) {
    if (stretch > count) t *= last / static_cast<double>(stretch - 1);
    t = std::clamp(t, 0.0, last);
    const auto low = static_cast<Index>(std::floor(t));
    return {low, std::min(low + 1, count - 1), t - static_cast<double>(low)};
  }
  if (beyond_ == Beyond::kClamp) t = std::clamp(t, 0.0, last);
  require(t == std::floor(t), where,
          "position {} must be a whole number; beyond=interpolate reads between rows", t);
  require(t >= 0.0 && t <= last, where,
          "position {:.0f} must be one of the table's {} rows; beyond=clamp or beyond=interpolate "
          "say what to do past them",
          t, count);
  const auto index = static_cast<Index>(t);
  return {index, index, 0.0};
}

void RowTable::row(const Position& t, Index stretch, std::string_view where,
                   std::span<double> out) const {
  require(static_cast<Index>(out.size()) == dim(), where,
          "dim must be the table's {} columns but got {}", dim(), out.size());
  const Index columns = lines_ == 0 ? count() : count() / lines_;
  const auto read = [&](Index line, const Cell& column, double weight) {
    const auto low = as_eigen(rows_.row(line * columns + column.low));
    const auto high = as_eigen(rows_.row(line * columns + column.high));
    as_eigen(out) += weight * ((1.0 - column.weight) * low + column.weight * high);
  };
  std::fill(out.begin(), out.end(), 0.0);
  if (lines_ == 0) {
    read(0, cell(t[0], columns, stretch, where), 1.0);
    return;
  }
  const Cell line = cell(t[0], lines_, 0, where);
  const Cell column = cell(t[1], columns, 0, where);
  read(line.low, column, 1.0 - line.weight);
  if (line.weight > 0.0) read(line.high, column, line.weight);
}

RowTable::Beyond parse_beyond(const std::string& word) {
  if (word == "clamp") return RowTable::Beyond::kClamp;
  if (word == "interpolate") return RowTable::Beyond::kInterpolate;
  return RowTable::Beyond::kError;
}

Claims adjusted(Claims claims, RowTable::Beyond beyond) {
  if (beyond != RowTable::Beyond::kError) claims.any_length = Claim::kYes;
  if (beyond == RowTable::Beyond::kClamp) claims.separates = Claim::kNo;
  if (beyond == RowTable::Beyond::kInterpolate) claims.length_free = Claim::kNo;
  return claims;
}

InputTable input_table(const PositionRule& rule, const Extent& extent, Index axes,
                       std::function<void(const Position&, std::span<double>)> fill) {
  return {.row = [rule, axes, length = extent.positions, fill = std::move(fill)](
                     const Position& t, std::span<double> row) {
    require(t.axes() == 1 || t.axes() == axes, "position",
            "must have 1 or {} coordinates but has {}", axes, t.axes());
    std::array<double, kMaxAxes> moved = {};
    for (Index axis = 0; axis < t.axes(); ++axis)
      moved[static_cast<std::size_t>(axis)] = rule(t[axis], length);
    fill(Position(std::span(moved).first(static_cast<std::size_t>(t.axes()))), row);
  }};
}

}  // namespace sextant
