// SPDX-License-Identifier: Apache-2.0
// Rows of an input table that are linear in one array of the encoding: its own rows, or a map that
// its coordinates pass.
#pragma once

#include <string>

#include "lab/learned.h"

namespace sextant {

class LinearRows : public LearnedTerm {
 public:
  // The array is that of the file parameter `key` and starts as `first`, [rows, dim].
  LinearRows(const LearnedStart& start, std::string key, const Matrix& first);

  SiteTensors sites(Index n) override;
  TensorMap values() const override;

 private:
  std::string key_;
  // The encoding with the unit matrix as its array: its rows are the weights of the array's, with
  // every rule for positions that the encoding has.
  std::unique_ptr<Encoding> unit_;
  torch::Tensor array_;
  std::map<Index, torch::Tensor> weights_;  // by n, [n, rows]
};

}  // namespace sextant
