// SPDX-License-Identifier: Apache-2.0
// How a study is shown: one JSON document, or lines for people.
#pragma once

#include <string_view>

#include "cli/verb.h"
#include "io/json.h"
#include "run/study.h"

namespace sextant::cli {

// {"schema": 1, "verb": ..., "version": ...}.
Json new_document(std::string_view verb);

// Notes go to stderr. `document` has at least what add_geometry() adds; with rows also the table.
void show_study(const Json& document, const Study& study, const Globals& globals);

}  // namespace sextant::cli
