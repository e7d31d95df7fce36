// SPDX-License-Identifier: Apache-2.0
#include "lab/linear_rows.h"

#include "lab/learned_start.h"

namespace sextant {

LinearRows::LinearRows(const LearnedStart& start, std::string key, const Matrix& first)
    : key_(std::move(key)) {
  const torch::Tensor unit = torch::eye(first.rows(), torch::kDouble);
  unit_ = with_values(start, {{key_, stored(unit)}});
  array_ = register_parameter(key_, to_torch(first, start.options));
}

SiteTensors LinearRows::sites(Index n) {
  torch::Tensor& weights = weights_[n];
  if (!weights.defined()) {
    const Extent extent{.positions = n, .dim = array_.size(0)};
    const Matrix rows = input_rows(*unit_->effects(extent).input, extent, Positions::range(n));
    weights = to_torch(rows, array_.options());
  }
  return {.rows = torch::mm(weights, array_)};
}

TensorMap LinearRows::values() const { return {{key_, stored(array_)}}; }

}  // namespace sextant
