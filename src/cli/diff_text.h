// SPDX-License-Identifier: Apache-2.0
// The answers of `sextant diff` for people and for programs.
#pragma once

#include <string>

#include "cli/output.h"
#include "io/json.h"
#include "model/model_comparison.h"

namespace sextant::cli {

// Tables "agree / differ", one per set of layers, and what either side assumed.
std::string comparison_text(const ModelComparison& comparison, const ModelSide& first,
                            const ModelSide& second, const Style& style);

// first, second, length, equal, groups.
Json comparison_json(const ModelComparison& comparison, const ModelSide& first,
                     const ModelSide& second);

// "0-11, 13": runs of indices.
std::string runs_text(const std::vector<Index>& indices);

}  // namespace sextant::cli
