// SPDX-License-Identifier: Apache-2.0
// `sextant spectrum` for people.
#pragma once

#include <string>

#include "cli/output.h"
#include "run/spectrum_study.h"

namespace sextant::cli {

std::string spectrum_text(const SpectrumStudy& study, const Style& style);

}  // namespace sextant::cli
