// SPDX-License-Identifier: Apache-2.0
// The command line as data: help, the man page and the completion scripts read it from here, so
// that none of them can disagree with what is parsed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace sextant::cli {

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; of an argument its name alone
  std::string value;               // "N", "a|b|c"; empty for a flag
  std::string doc;
  bool argument = false;  // positional
  bool several = false;   // takes more than one value

  // "-o, --output FILE", or the name of an argument.
  std::string heading() const;
  // Of "a|b|c"; empty when the value is anything else.
  std::vector<std::string> choices() const;
};

// Options and arguments of `app` itself, in the order of declaration.
std::vector<OptionEntry> options_of(const CLI::App& app);

// The global options that `verb` takes.
std::vector<OptionEntry> global_options_of(const VerbRegistry& verbs, const Verb& verb);

// What was given to the verb of `app`, as words that parse to the same: its arguments, its options
// as --name=value, and global ones; without the options of `except`. After the parse.
std::vector<std::string> given_words(const CLI::App& app, const std::set<std::string>& except);

// "sextant table SPEC [OPTIONS]", "sextant lint MODEL... [OPTIONS]".
std::string usage(const Verb& verb);

struct ExitStatus {
  int status;
  std::string_view meaning;
};
// Every exit status of these verbs.
const std::vector<ExitStatus>& exit_statuses();

}  // namespace sextant::cli
