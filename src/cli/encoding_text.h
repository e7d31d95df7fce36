// SPDX-License-Identifier: Apache-2.0
// Facts about an encoding in words, for the pages and the manual.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cli/verb.h"
#include "run/encoding_document.h"
#include "sextant/registry.h"

namespace sextant::cli {

// "number, 1 to infinity", "one of half, interleaved".
std::string range_text(const ParamInfo& param);

// "input, logit"; "none" without a site.
std::string sites_text(const Sites& sites);

// "translation_invariant" -> "translation invariant".
std::string spaced(std::string_view name);

// `spec` with --seed added to every term that has a parameter of this name and does not set it.
// Throws kUsage when the seed was given and no term has one.
std::string seeded(std::string_view spec, const Globals& globals);

// "table needs file=FILE" for the first term that cannot be built as `spec` stands; else empty.
std::string missing_file(const EncodingSpec& spec);

}  // namespace sextant::cli
