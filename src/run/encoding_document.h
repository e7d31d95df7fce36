// SPDX-License-Identifier: Apache-2.0
// Facts about encodings as JSON.
#pragma once

#include <string_view>

#include "io/json.h"
#include "sextant/registry.h"

namespace sextant {

std::string_view name(ParamKind kind);

Json claims_json(const Claims& claims);
Json encoding_json(const EncodingInfo& info, const Claims& claims);

// encoding_json() of every encoding of the catalogue, in its order.
Json catalogue_json();

}  // namespace sextant
