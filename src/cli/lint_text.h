// SPDX-License-Identifier: Apache-2.0
// Findings of the linter for people.
#pragma once

#include <span>
#include <string>

#include "cli/output.h"
#include "run/lint_document.h"

namespace sextant::cli {

enum class NotesShown { kCounted, kAll };

// By file: errors and warnings, with all notes or their number; then one line of totals.
std::string lint_text(const LintRun& run, NotesShown notes, const Style& style);

// Ids, severities, names and titles.
std::string rule_list_text(std::span<const LintRule> rules, const Style& style);

// What it finds, why, an example and its remedy, references.
std::string rule_page(const LintRule& rule, const Style& style);

}  // namespace sextant::cli
