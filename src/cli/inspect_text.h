// SPDX-License-Identifier: Apache-2.0
// `sextant inspect` of a model, for people.
#pragma once

#include <string>

#include "cli/output.h"
#include "run/model_document.h"

namespace sextant::cli {

std::string model_text(const ModelReading& reading, const Style& style);

}  // namespace sextant::cli
