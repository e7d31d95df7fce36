// SPDX-License-Identifier: Apache-2.0
// Checked theorems for people: a summary of many, a page on each.
#pragma once

#include <span>
#include <string>

#include "cli/output.h"
#include "run/theorem_document.h"

namespace sextant::cli {

// Ids, names, titles and sources.
std::string theorem_list_text(std::span<const TheoremRegistry::Entry> entries, const Style& style);

// One line each, then the reasons.
std::string summary_text(std::span<const CheckedTheorem> checked, const Style& style);

enum class FindingsShown { kMain, kAll };

// Source, claim, conditions, findings, plots. Of long lists the part that matters, with the number
// of what is left out.
std::string theorem_page(const CheckedTheorem& checked, FindingsShown which, const Style& style);

}  // namespace sextant::cli
