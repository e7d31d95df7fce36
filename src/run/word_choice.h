// SPDX-License-Identifier: Apache-2.0
// One of a few words, as people type them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

// Index of `word` in `choices`. Throws kUsage, naming the choices and the nearest of them.
std::size_t choice(std::string_view where, std::string_view word,
                   const std::vector<std::string>& choices);

}  // namespace sextant
