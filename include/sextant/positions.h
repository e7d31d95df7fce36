// SPDX-License-Identifier: Apache-2.0
// Positions: real numbers, or vectors of them (rows and columns of an image, time and place of a
// video). They are a source of their own: every encoding takes any of them.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "sextant/matrix.h"

namespace sextant {

inline constexpr Index kMaxAxes = 4;

// One position. A scalar stands for the same coordinate on every axis: a text token in a model
// that also reads images has t = (t, t, t).
class Position {
 public:
  Position(double t) : axes_(1) { x_[0] = t; }  // NOLINT(google-explicit-constructor)
  // REQUIRES: 1 <= coordinates.size() <= kMaxAxes.
  explicit Position(std::span<const double> coordinates);

  Index axes() const { return axes_; }
  double operator[](Index axis) const {
    return x_[static_cast<std::size_t>(axes_ == 1 ? 0 : axis)];
  }

  // The lag of query `s` and key `t`, per axis.
  friend Position operator-(const Position& s, const Position& t);

 private:
  std::array<double, kMaxAxes> x_ = {};
  Index axes_;
};

// The positions of a sequence: offset, offset+1, ... or any list.
class Positions {
 public:
  struct Range {
    Index count = 0;
    double offset = 0.0;
  };

  static Positions range(Index count, double offset = 0.0);
  // One position per row, [count, axes]. Throws kUsage for zero or more than kMaxAxes columns and
  // kNumeric for a value that is not finite.
  static Positions from(Matrix coordinates);

  Index size() const { return range_ ? range_->count : coordinates_.rows(); }
  Index axes() const { return range_ ? 1 : coordinates_.cols(); }
  Position operator[](Index i) const;

  // Set when the positions are consecutive: fast tables start from here.
  const std::optional<Range>& consecutive() const { return range_; }

 private:
  std::optional<Range> range_;
  Matrix coordinates_;
};

}  // namespace sextant
