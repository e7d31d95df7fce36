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
  if (!params.has("file")) return;
  trained_ = params.matrix("file");
  source_ = params.source("file");
  if (trained_->rows() < 1 || trained_->cols() < 1)
    fail(ErrorCode::kMalformed, source_, "array must not be empty");
}

Matrix LearnedValues::matrix(Index rows, Index cols, double deviation) const {
  if (trained_) {
    if (trained_->rows() != rows || trained_->cols() != cols)
      fail(ErrorCode::kMalformed, source_, "array must be {} x {} here but is {} x {}", rows, cols,
           trained_->rows(), trained_->cols());
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
