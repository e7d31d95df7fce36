// SPDX-License-Identifier: Apache-2.0
// Checking one value of a spec against its ParamInfo.
#pragma once

#include <string>
#include <string_view>

#include "sextant/encoding.h"

namespace sextant {

// The value as make() prints it again: numbers in their shortest form, words as they are. Throws
// kUsage, prefixed with `where`, for a value of the wrong kind or out of range.
std::string canonical_value(const ParamInfo& param, std::string_view value, std::string_view where);

}  // namespace sextant
