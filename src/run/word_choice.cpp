// SPDX-License-Identifier: Apache-2.0
#include "run/word_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace sextant {

std::size_t choice(std::string_view where, std::string_view word,
                   const std::vector<std::string>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), word);
  require(found != choices.end(), where, "must be one of {}, but got '{}'{}",
          fmt::join(choices, ", "), escaped(word), suggestion(word, choices));
  return static_cast<std::size_t>(found - choices.begin());
}

}  // namespace sextant
