// SPDX-License-Identifier: Apache-2.0
// --plan: what a study would cost, from a sample of its corpus. Nothing is written.
#pragma once

#include <string_view>

#include "cli/verb.h"
#include "run/study_choice.h"

namespace sextant::cli {

// --plan, and --ranks and --bytes beside it.
void add_plan_options(CLI::App& app, StudyChoice& choice);

// Throws kUsage for options that do nothing without --plan.
void check_plan_fits(const StudyChoice& choice);

// Prints the plan of what `verb` would do. Returns the exit status.
int show_plan(const StudyChoice& choice, const Globals& globals, std::string_view verb,
              bool may_sample);

}  // namespace sextant::cli
