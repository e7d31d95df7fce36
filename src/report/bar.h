// SPDX-License-Identifier: Apache-2.0
// A bar for a line of a table.
#pragma once

#include <string>

namespace sextant {

// `share` of `columns`, in eighths of a column, or '#' without Unicode.
std::string bar(double share, int columns, bool unicode);

}  // namespace sextant
