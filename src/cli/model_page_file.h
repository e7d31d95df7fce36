// SPDX-License-Identifier: Apache-2.0
// The page of a model or a table: one file, where one is asked for.
#pragma once

#include <string>

#include "cli/verb.h"
#include "io/json.h"

namespace sextant::cli {

struct PageChoice {
  std::string file = {};  // empty: no page
  bool force = false;
};

// --report FILE and --force. `choice` must outlive the parse.
void add_page_options(CLI::App& app, PageChoice& choice);

// Before the work: kUnwritable where the file is there already and must stay, kUsage for --force
// alone.
void check_page(const PageChoice& choice);

// Throws kUnwritable. In a build without a page a note says that none is written.
void write_model_page(const PageChoice& choice, const Json& document, const Globals& globals);

}  // namespace sextant::cli
