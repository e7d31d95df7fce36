// SPDX-License-Identifier: Apache-2.0
// Published tables beside our own numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sextant {

struct ReproducedCell {
  std::string cell;  // "RoPE / -lag/L"
  double published = 0.0;
  double ours = 0.0;
  double condition = 0.0;  // of the columns that are fitted, without the ridge
  std::string verdict;     // "reproduced", "ill-conditioned" or "differs"
};

struct Reproduction {
  std::string source;
  std::string method;  // one sentence
  std::vector<ReproducedCell> cells;
};

// Table 3 of Jordan-RoPE (arXiv:2605.04217): columns of each scheme are fitted to three targets on
// lags below 1024 by ridge regression; the mean square error is taken on lags below 8192. Both
// Jordan rows were published from a float32 solver, whose noise their condition numbers amplify.
Reproduction jordan_rope_table();

}  // namespace sextant
