// SPDX-License-Identifier: Apache-2.0
// The results of a study for a terminal, from the same document that becomes report.json.
#pragma once

#include <string>

#include "io/json.h"

namespace sextant {

struct TableStyle {
  int width = 80;
  bool unicode = true;  // bars of eighths; otherwise '#'
};

// One line per row: encoding, rule, corrected stress with interval and a bar, scaled stress and the
// stress that shuffled text gives. A rule is drawn between groups that can be told apart.
std::string score_table(const Json& document, const TableStyle& style);

// The corpus and its geometry in a few lines.
std::string geometry_text(const Json& document);

}  // namespace sextant
