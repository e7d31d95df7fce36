// SPDX-License-Identifier: Apache-2.0
// JSON as we write it. The only place that names the JSON library.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sextant {

using Json = nlohmann::ordered_json;  // keys stay in the order of insertion

// Indented by two blanks, ASCII, with a newline at the end. A number that is not finite becomes
// null, a byte that is not UTF-8 becomes U+FFFD, and every other number reads back to the same
// bits.
std::string to_text(const Json& json);
std::string to_line(const Json& json);  // the same without blanks and newlines

}  // namespace sextant
