// SPDX-License-Identifier: Apache-2.0
#include "report/bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sextant {

std::string bar(double share, int columns, bool unicode) {
  const double cells = std::clamp(share, 0.0, 1.0) * columns;
  const auto whole = static_cast<int>(cells);
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(cells)), '#');
  std::string result;
  for (int i = 0; i < whole; ++i) result += "\xe2\x96\x88";  // full block
  const auto eighths = static_cast<int>((cells - whole) * 8.0);
  // U+258F is one eighth, U+2589 seven.
  if (eighths > 0) result += fmt::format("\xe2\x96{}", static_cast<char>(0x8f + 1 - eighths));
  return result;
}

}  // namespace sextant
