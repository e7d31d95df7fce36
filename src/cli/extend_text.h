// SPDX-License-Identifier: Apache-2.0
// The answers of `sextant extend` for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "io/json.h"
#include "model/extension.h"

namespace sextant::cli {

// A comparison with the choice made from it, and stress rows where a corpus was given.
struct ExtensionAnswer {
  const ExtensionSubject& subject;
  const ExtensionReport& report;
  const ExtensionCandidate& chosen;
  ConfigSpelling spelling = ConfigSpelling::kV4;
  Json scores = {};  // rows of `score`, or null
};

std::string extension_text(const ExtensionAnswer& answer, const Style& style);
Json extension_json(const ExtensionAnswer& answer);

}  // namespace sextant::cli
