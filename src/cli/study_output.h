// SPDX-License-Identifier: Apache-2.0
// How a study is shown: one JSON document, or lines for people.
#pragma once

#include "cli/verb.h"
#include "io/json.h"
#include "run/provenance.h"
#include "run/study.h"

namespace sextant::cli {

// Notes go to stderr. `document` has at least what add_geometry() adds; with rows also the table.
void show_study(const Json& document, const Study& study, const Globals& globals);

// 0, or the exit status of the first encoding that was asked for by name and could not be scored; a
// line on stderr says so. In a run over the catalogue such rows are results.
int score_status(const Study& study, const Globals& globals);

}  // namespace sextant::cli
