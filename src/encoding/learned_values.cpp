// SPDX-License-Identifier: Apache-2.0
#include "encoding/learned_values.h"

#include "base/check.h"
#include "base/rng.h"

namespace sextant {
namespace {

constexpr Index kMostValues = Index{1} << 26;  // 512 MB

}  // namespace

LearnedValues::LearnedValues(const Params& params, std::string_view encoding)
    : encoding_(encoding), seed_(static_cast<std::uint64_t>(params.integer("seed"))) {
  if (params.has("file")) trained_ = params.matrix("file");
}

Matrix LearnedValues::matrix(Index rows, Index cols, double deviation) const {
  if (trained_) {
    require(trained_->rows() == rows && trained_->cols() == cols, encoding_,
            "file must hold {} x {} values here but holds {} x {}", rows, cols, trained_->rows(),
            trained_->cols());
    return *trained_;
  }
  if (rows > kMostValues / cols)
    fail(ErrorCode::kRefused, encoding_, "an initial draw must hold at most {} values, not {} x {}",
         kMostValues, rows, cols);
  Matrix draw(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    const Rng rng(seed_, static_cast<std::uint64_t>(i));
    for (Index j = 0; j < cols; ++j)
      draw(i, j) = deviation * rng.normal(static_cast<std::uint64_t>(j));
  }
  return draw;
}

}  // namespace sextant
