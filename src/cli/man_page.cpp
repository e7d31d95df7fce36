// SPDX-License-Identifier: Apache-2.0
#include "cli/man_page.h"

#include <fmt/format.h>

#include "cli/command_tree.h"

namespace sextant::cli {
namespace {

// Text that troff prints as it stands: no escapes, real hyphens, no request at a line's start.
std::string escaped_roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '.':
        result += result.empty() ? "\\&." : ".";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string options_text(const std::vector<OptionEntry>& entries) {
  std::string result;
  for (const OptionEntry& entry : entries) {
    std::string names;
    for (const std::string& name : entry.names)
      names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped_roff(name));
    if (!entry.argument && !entry.value.empty())
      names += fmt::format(" \\fI{}\\fR", escaped_roff(entry.value));
    result += fmt::format(".TP\n{}\n{}.\n", names, escaped_roff(entry.doc));
  }
  return result;
}

std::string examples_text(const std::vector<Example>& examples) {
  std::string result;
  for (const Example& example : examples) {
    result += fmt::format(".TP\n\\fB{}\\fR\n{}.\n", escaped_roff(example.command),
                          escaped_roff(example.meaning));
  }
  return result;
}

}  // namespace

std::string man_page(const VerbRegistry& verbs) {
  std::string page = ".TH SEXTANT 1 \"\" \"sextant " SEXTANT_VERSION "\" \"User Commands\"\n";
  page += fmt::format(".SH NAME\nsextant \\- {}\n", escaped_roff(kProgramDoc));
  page += ".SH SYNOPSIS\n";
  for (const auto& verb : verbs.verbs()) {
    page += fmt::format(".B {}\n.br\n", escaped_roff(usage(*verb)));
  }
  page +=
      ".SH DESCRIPTION\n"
      "An encoding is named by a spec: \\fIname\\fR, \\fIname\\fR(\\fIkey\\fR=\\fIvalue\\fR,...), "
      "or several joined by \\(aq+\\(aq.\n"
      "Results go to standard output, messages to standard error.\n"
      "An output file appears whole or not at all, and an existing one is kept unless "
      "\\fB\\-\\-force\\fR is given.\n";
  page += ".SH OPTIONS\nThese stand before or after the verb.\n";
  page += options_text(options_of(verbs.root()));
  page += ".SH VERBS\n";
  for (const auto& verb : verbs.verbs()) {
    page += fmt::format(".SS {}\n{}.\n.PP\n.B {}\n", verb->name, escaped_roff(verb->doc),
                        escaped_roff(usage(*verb)));
    page += options_text(options_of(*verb->app));
  }
  page += ".SH \"EXIT STATUS\"\n";
  for (const ExitStatus& exit : exit_statuses()) {
    page += fmt::format(".TP\n.B {}\n{}.\n", exit.status, escaped_roff(exit.meaning));
  }
  page +=
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nSet to anything: no colour unless \\fB\\-\\-color "
      "always\\fR asks for it.\n"
      ".TP\n.BR LC_ALL \", \" LC_CTYPE \", \" LANG\nThe first that is set decides whether plots "
      "use "
      "Unicode.\n";
  page += ".SH EXAMPLES\n";
  for (const auto& verb : verbs.verbs()) page += examples_text(verb->examples);
  return page;
}

}  // namespace sextant::cli
