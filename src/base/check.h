// SPDX-License-Identifier: Apache-2.0
// The only place that throws.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "sextant/error.h"

namespace sextant {

// Throws Error with the message "where: text". `where` is the file and place, or the name that a
// user typed.
template <typename... Args>
[[noreturn]] void fail(ErrorCode code, std::string_view where, fmt::format_string<Args...> text,
                       Args&&... args) {
  throw Error(code, fmt::format("{}: {}", where, fmt::format(text, std::forward<Args>(args)...)));
}

// Checks what the caller promised. For what we promise ourselves, use assert().
template <typename... Args>
void require(bool holds, std::string_view where, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) fail(ErrorCode::kUsage, where, text, std::forward<Args>(args)...);
}

}  // namespace sextant
