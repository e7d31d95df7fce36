// SPDX-License-Identifier: Apache-2.0
// Values that training sets: read from the encoding's `file`, or drawn as training would start.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sextant/registry.h"

namespace sextant {

class LearnedValues {
 public:
  // Reads the parameters `file` and `seed`.
  LearnedValues(const Params& params, std::string_view encoding);

  bool trained() const { return trained_.has_value(); }
  const Matrix& file() const { return *trained_; }
  // Columns and rows of the file, 0 without one: what they fix about the model.
  Index trained_columns() const { return trained_ ? trained_->cols() : 0; }
  Index trained_rows() const { return trained_ ? trained_->rows() : 0; }

  // [rows, cols] of the file, whose shape must be this (kUsage otherwise), or Gaussian numbers of
  // the given deviation; entry (i, j) of the draw depends on the seed, i and j alone. Throws
  // kRefused for a draw of more than 2^26 values.
  Matrix matrix(Index rows, Index cols, double deviation = 1.0) const;

 private:
  std::string_view encoding_;
  std::uint64_t seed_;
  std::optional<Matrix> trained_;
};

}  // namespace sextant
