// SPDX-License-Identifier: Apache-2.0
#include "encoding/fitted.h"

#include "base/check.h"

namespace sextant {
namespace {

Matrix first_columns(const Matrix& points, const Params& params) {
  const Index rank = params.has("rank") ? params.integer("rank") : points.cols();
  if (rank > points.cols()) {
    fail(ErrorCode::kUsage, params.source("file"), "rank must be at most {} but got {}",
         points.cols(), rank);
  }
  Matrix result(points.rows(), rank);
  for (Index i = 0; i < points.rows(); ++i)
    for (Index k = 0; k < rank; ++k) result(i, k) = points(i, k);
  return result;
}

Matrix product(const Matrix& points, const Matrix& map) {
  Matrix result(points.rows(), map.cols());
  for (Index i = 0; i < points.rows(); ++i)
    for (Index k = 0; k < map.rows(); ++k)
      for (Index j = 0; j < map.cols(); ++j) result(i, j) += points(i, k) * map(k, j);
  return result;
}

}  // namespace

FittedRows::FittedRows(const EncodingInfo& info, const Params& params)
    : info_(info),
      rule_(params),
      beyond_(parse_beyond(params.word("beyond"))),
      points_(first_columns(params.matrix("file"), params)) {
  if (!params.has("map")) return;
  map_ = params.matrix("map");
  if (map_.rows() != points_.cols()) {
    fail(ErrorCode::kMalformed, params.source("map"), "must have {} rows but has {}",
         points_.cols(), map_.rows());
  }
}

Effects FittedRows::make_effects(const Extent& extent) const {
  const Index rank = points_.cols();
  if (map_.rows() == 0) {
    require(extent.dim >= rank, info_.name, "dim must be at least the rank {} but got {}", rank,
            extent.dim);
  } else {
    require(extent.dim == map_.cols(), info_.name, "dim must be that of the map, {}, but got {}",
            map_.cols(), extent.dim);
  }
  RowTable table(map_.rows() == 0 ? points_ : product(points_, map_), beyond_);
  return {.input = input_table(rule_, extent, 1,
                               [table = std::move(table), length = extent.positions,
                                where = info_.name](const Position& t, std::span<double> row) {
                                 std::ranges::fill(row, 0.0);
                                 table.row(t, length, where,
                                           row.first(static_cast<std::size_t>(table.dim())));
                               })};
}

}  // namespace sextant
