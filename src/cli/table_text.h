// SPDX-License-Identifier: Apache-2.0
// `sextant inspect` of a learned table.
#pragma once

#include <string>

#include "cli/model_page_file.h"
#include "cli/output.h"
#include "model/table_file.h"

namespace sextant::cli {

std::string table_text(const LearnedTable& table, const TableFacts& facts, const Style& style);

// Reads the table that `path` names (names_table()), prints what it says, and writes the page where
// one is asked for. Returns the exit status.
int inspect_table(const std::string& path, const Globals& globals, const PageChoice& page = {});

}  // namespace sextant::cli
