// SPDX-License-Identifier: Apache-2.0
// Studies of trials, for a terminal.
#pragma once

#include <string>

#include "cli/output.h"
#include "run/trained_study.h"

namespace sextant::cli {

// Every number with its control beside it, then what the numbers say, then trials without a number.
std::string trained_study_text(const TrainedStudy& study, const Style& style);

// The studies with what they ask.
std::string study_list_text(const StudyRegistry& studies, const Style& style);

}  // namespace sextant::cli
