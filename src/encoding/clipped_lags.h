// SPDX-License-Identifier: Apache-2.0
// A learned row for each lag from -clip to clip; lags beyond share the outermost ones.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "encoding/learned_values.h"

namespace sextant {

class ClippedLags {
 public:
  // Reads `file`, `seed` and `clip`; a file fixes clip by its rows. Throws kUsage when both are
  // given, kMalformed for an even number of rows.
  ClippedLags(const Params& params, std::string_view encoding)
      : values_(params, encoding), encoding_(encoding), clip_(params.integer("clip")) {
    if (!values_.trained()) return;
    require(!params.given("clip"), encoding, "clip must not go with a file, whose rows fix it");
    const Index rows = values_.file().rows();
    if (rows % 2 == 0)
      fail(ErrorCode::kMalformed, params.source("file"),
           "array must have rows for lags -clip..clip, an odd number, but has {}", rows);
    clip_ = rows / 2;
  }

  const LearnedValues& values() const { return values_; }

  // [2 clip + 1, columns].
  Matrix table(Index columns, double deviation) const {
    return values_.matrix(2 * clip_ + 1, columns, deviation);
  }

  // The row of a lag. Throws kUsage for one that is not whole.
  Index row(double lag) const {
    const auto clip = static_cast<double>(clip_);
    const double clipped = std::clamp(lag, -clip, clip);
    require(clipped == std::floor(clipped), encoding_, "lag must be a whole number but got {}",
            lag);
    return static_cast<Index>(clipped + clip);
  }

 private:
  LearnedValues values_;
  std::string_view encoding_;
  Index clip_;
};

}  // namespace sextant
