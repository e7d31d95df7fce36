// SPDX-License-Identifier: Apache-2.0
// sextant(1), written from the tree of commands.
#pragma once

#include <string>

#include "cli/verb.h"

namespace sextant::cli {

// In the man macros of troff. Holds no date: the same program gives the same page.
std::string man_page(const VerbRegistry& verbs);

}  // namespace sextant::cli
