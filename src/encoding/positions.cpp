// SPDX-License-Identifier: Apache-2.0
#include "sextant/positions.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "base/check.h"

namespace sextant {

namespace {

constexpr double kFarthest = 0x1p53;

}  // namespace

Position::Position(std::span<const double> coordinates)
    : axes_(static_cast<Index>(coordinates.size())) {
  assert(axes_ >= 1 && axes_ <= kMaxAxes);
  std::copy(coordinates.begin(), coordinates.end(), x_.begin());
}

Position operator-(const Position& s, const Position& t) {
  Position lag = s.axes_ >= t.axes_ ? s : t;
  for (Index axis = 0; axis < lag.axes_; ++axis)
    lag.x_[static_cast<std::size_t>(axis)] = s[axis] - t[axis];
  return lag;
}

Positions Positions::range(Index count, double offset) {
  require(count >= 0, "positions", "count must not be negative but got {}", count);
  require(std::abs(offset) + static_cast<double>(count) <= kFarthest, "positions",
          "offset {} and count {} must stay within 2^53, where whole numbers are exact", offset,
          count);
  Positions result;
  result.range_ = Range{.count = count, .offset = offset};
  return result;
}

Positions Positions::from(Matrix coordinates) {
  require(coordinates.cols() >= 1 && coordinates.cols() <= kMaxAxes, "positions",
          "axes must be 1 to {} but got {}", kMaxAxes, coordinates.cols());
  for (Index i = 0; i < coordinates.rows(); ++i) {
    for (const double x : coordinates.row(i)) {
      if (!std::isfinite(x))
        fail(ErrorCode::kNumeric, "positions", "position {} must be finite but got {}", i, x);
      require(std::abs(x) <= kFarthest, "positions", "position {} must stay within 2^53 but is {}",
              i, x);
    }
  }
  Positions result;
  result.coordinates_ = std::move(coordinates);
  return result;
}

Position Positions::operator[](Index i) const {
  if (range_) return range_->offset + static_cast<double>(i);
  return Position(coordinates_.row(i));
}

}  // namespace sextant
