// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sextant/classify.h"

namespace sextant {

// |exp(lag X)| and its condition number at lags 1, 2, 4, ..., 1024, while both exist in numbers;
// of wide X fewer lags, see GeneratorClass. X = norm * unit.
std::vector<GeneratorClass::At> conditioning_of(const Matrix& unit, double norm);

}  // namespace sextant
