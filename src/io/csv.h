// SPDX-License-Identifier: Apache-2.0
// Comma-separated numbers that read back to the same bits.
#pragma once

#include <span>
#include <string>

#include "sextant/matrix.h"

namespace sextant {

// One line per row, each ended by a newline. Every value has the shortest digits that identify it
// among the numbers of its own type: 0.1f is "0.1". A large table is written as the concatenation
// of the texts of its pieces. REQUIRES: columns > 0 divides values.size().
std::string csv_rows(std::span<const double> values, Index columns);
std::string csv_rows(std::span<const float> values, Index columns);

}  // namespace sextant
