// SPDX-License-Identifier: Apache-2.0
#include "cli/verb.h"

#include <CLI/CLI.hpp>

namespace sextant::cli {

Verb& VerbRegistry::add(const std::string& name, const std::string& doc) {
  verbs_.push_back(std::make_unique<Verb>());
  Verb& verb = *verbs_.back();
  verb.name = name;
  verb.doc = doc;
  verb.app = root_.add_subcommand(name, doc);
  return verb;
}

}  // namespace sextant::cli
