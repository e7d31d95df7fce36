// SPDX-License-Identifier: Apache-2.0
// UTF-8 as Unicode defines it (table 3-7): no overlong forms, no surrogates, nothing above
// U+10FFFF.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sextant {

// The longest piece at `at` that can begin a character (one byte if none can): what one U+FFFD
// stands for.
struct Utf8Fault {
  std::size_t at = 0, size = 0;
  std::string_view what;
};

// The first fault at or after `from`. REQUIRES: `from` is the start of a character.
std::optional<Utf8Fault> first_utf8_fault(std::string_view text, std::size_t from = 0);

// The same answer as !first_utf8_fault(text), at the speed of memory.
bool is_utf8(std::string_view text);

// Appends `text` with U+FFFD for every fault and returns their number.
std::size_t append_replaced(std::string_view text, std::string& result);

// Only characters with the Unicode property White_Space, or nothing at all.
bool is_blank(std::string_view text);

}  // namespace sextant
