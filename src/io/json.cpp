// SPDX-License-Identifier: Apache-2.0
// The one way in which a document becomes text, so that equal documents are equal bytes.
#include "io/json.h"

namespace sextant {

std::string to_text(const Json& json) {
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + '\n';
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace sextant
