// SPDX-License-Identifier: Apache-2.0
// Sizes that a check takes instead of those asked for, so that findings name them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "sextant/matrix.h"

namespace sextant {

// "64", "64 (of 512)" where fewer are taken than asked for, "4 (instead of 2)" where more are.
inline std::string used_size(Index used, Index asked) {
  if (used == asked) return fmt::format("{}", used);
  return fmt::format("{} ({} {})", used, used < asked ? "of" : "instead of", asked);
}

}  // namespace sextant
