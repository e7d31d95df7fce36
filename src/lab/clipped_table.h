// SPDX-License-Identifier: Apache-2.0
// A trained row for each clipped lag.
#pragma once

#include "encoding/clipped_lags.h"
#include "lab/learned_start.h"

namespace sextant {

class ClippedTable : public LearnedTerm {
 public:
  ClippedTable(const LearnedStart& start, Index columns, double deviation) {
    const ClippedLags lags(params_of(start), start.term.name);
    table_ = register_parameter("table", to_torch(lags.table(columns, deviation), start.options));
  }

  TensorMap values() const override { return {{"file", stored(table_)}}; }

 protected:
  // The rows of lags 1-n..n-1, [2n-1, columns].
  torch::Tensor by_lag(Index n) const {
    const Index clip = table_.size(0) / 2;
    const torch::Tensor rows = lag_range(1 - n, n - 1).clamp(-clip, clip) + clip;
    return table_.index_select(0, rows.to(table_.device(), torch::kLong));
  }

 private:
  torch::Tensor table_;  // [2 clip + 1, columns]
};

}  // namespace sextant
