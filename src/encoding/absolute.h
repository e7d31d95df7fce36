// SPDX-License-Identifier: Apache-2.0
// What encodings of absolute positions share: the rule for positions past the training length,
// and rows that come from a table.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "sextant/registry.h"

namespace sextant {

inline constexpr ParamInfo kPositionsParam =
    word_param("positions", "absolute", "absolute|clamp|rescale",
               "absolute: t as it is; clamp: at most train-1; rescale: t * train / current length");
inline constexpr ParamInfo kTrainParam =
    integer_param("train", "", 1, 1e9, "training length, for clamp and rescale");

class PositionRule {
 public:
  // Reads `positions` and `train`; `rows` is the training length where train is not given. Throws
  // kUsage when clamp or rescale come without any.
  explicit PositionRule(const Params& params, std::optional<Index> rows = {});

  double operator()(double t, Index current_length) const;

  // What becomes of an encoding's claims under this rule.
  Claims adjusted(Claims claims) const;

 private:
  enum class Kind { kAbsolute, kClamp, kRescale };
  Kind kind_ = Kind::kAbsolute;
  double train_ = 0.0;
};

// Rows of a table at positions 0, 1, ..., and what happens between and beyond them.
class RowTable {
 public:
  enum class Beyond { kError, kClamp, kInterpolate };

  // `lines` > 0: rows are the cells of a grid, row-major, at positions with two axes (line,
  // column). Throws kUsage for no rows, or for lines that do not divide them.
  RowTable(Matrix rows, Beyond beyond, Index lines = 0);

  // `stretch` is the number of positions that share the table when it is interpolated: 1-D tables
  // are stretched to it once it exceeds their length. Throws kUsage for a position that is not
  // covered. `where` is the encoding's name.
  void row(const Position& t, Index stretch, std::string_view where, std::span<double> out) const;

  Index count() const { return rows_.rows(); }
  Index dim() const { return rows_.cols(); }

 private:
  struct Cell {
    Index low, high;
    double weight;  // of high
  };
  Cell cell(double t, Index count, Index stretch, std::string_view where) const;

  Matrix rows_;
  Beyond beyond_;
  Index lines_ = 0;
};

RowTable::Beyond parse_beyond(const std::string& word);

// What becomes of a table's claims, given what it does beyond its rows.
Claims adjusted(Claims claims, RowTable::Beyond beyond);

// The site of an absolute encoding: `fill` sees positions after the rule, with one coordinate or
// `axes` of them (kUsage otherwise).
InputTable input_table(const PositionRule& rule, const Extent& extent, Index axes,
                       std::function<void(const Position&, std::span<double>)> fill);

}  // namespace sextant
