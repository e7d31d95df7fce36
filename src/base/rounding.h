// SPDX-License-Identifier: Apache-2.0
// From double-double to the storage types, rounded once, to nearest even.
#pragma once

#include <cstdint>

#include "sextant/double_double.h"

namespace sextant {

double to_double(DoubleDouble x);
float to_float(DoubleDouble x);

// IEEE binary16 and bfloat16 as bit patterns; overflow gives infinity, NaN stays NaN.
std::uint16_t to_half(double x);
std::uint16_t to_bfloat16(double x);
double from_half(std::uint16_t bits);
double from_bfloat16(std::uint16_t bits);

}  // namespace sextant
