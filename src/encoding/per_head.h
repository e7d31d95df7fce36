// SPDX-License-Identifier: Apache-2.0
// A parameter with one value for all heads, or one for each, from a list or from a file.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "sextant/registry.h"

namespace sextant {

class PerHead {
 public:
  PerHead(std::vector<double> values, std::string_view name, std::string_view encoding)
      : values_(std::move(values)), name_(name), encoding_(encoding) {}

  double operator[](Index head) const {
    return values_.size() == 1 ? values_[0] : values_[static_cast<std::size_t>(head)];
  }
  const std::vector<double>& values() const { return values_; }

  // The head count that the values fix, or 0.
  Index heads() const { return values_.size() == 1 ? 0 : static_cast<Index>(values_.size()); }

  // Throws kUsage unless there is one value, or one for each of `heads`.
  void check(Index heads) const {
    require(values_.size() == 1 || static_cast<Index>(values_.size()) == heads, encoding_,
            "{} must have one entry or one for each of {} heads but has {}", name_, heads,
            values_.size());
  }

 private:
  std::vector<double> values_;
  std::string_view name_, encoding_;
};

// Row by row what the file parameter `per_head` holds, [rows, heads] or [rows, 1], in place of the
// parameters `replaced`. Throws kUsage when one of those is given too, kMalformed for another
// shape.
inline std::vector<std::vector<double>> per_head_rows(
    const Params& params, Index rows, std::initializer_list<std::string_view> replaced,
    std::string_view encoding) {
  for (const std::string_view key : replaced)
    require(!params.given(key), encoding, "{} and per_head must not be given together", key);
  const Matrix values = params.matrix("per_head");
  if (values.rows() != rows || values.cols() < 1)
    fail(ErrorCode::kMalformed, params.source("per_head"),
         "array must have {} rows and a column per head but is {} x {}", rows, values.rows(),
         values.cols());
  std::vector<std::vector<double>> result;
  result.reserve(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) result.emplace_back(values.row(i).begin(), values.row(i).end());
  return result;
}

}  // namespace sextant
