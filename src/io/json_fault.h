// SPDX-License-Identifier: Apache-2.0
// Where a JSON text is wrong, for messages. Slow: fast parsers tell only that it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sextant {

struct JsonFault {
  std::size_t column = 1;  // byte from 1; size() + 1 when the text ends too early
  std::string what;
};

// The first place where `text` is not one JSON document (RFC 8259); nothing when it is.
std::optional<JsonFault> first_json_fault(std::string_view text);

}  // namespace sextant
