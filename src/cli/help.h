// SPDX-License-Identifier: Apache-2.0
// The text of --help.
#pragma once

#include <string>

#include "cli/verb.h"

namespace sextant::cli {

std::string root_help(const VerbRegistry& verbs);
std::string verb_help(const VerbRegistry& verbs, const Verb& verb);

}  // namespace sextant::cli
