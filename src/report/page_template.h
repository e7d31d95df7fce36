// SPDX-License-Identifier: Apache-2.0
// The page that npm built, as one text. The build writes the definition; it is empty without npm.
#pragma once

#include <string_view>

namespace sextant {

extern const std::string_view kPageTemplate;

}  // namespace sextant
