// SPDX-License-Identifier: Apache-2.0
// Help from the tree of commands: usage, options, examples.
#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/command_tree.h"
#include "cli/output.h"

namespace sextant::cli {
namespace {

struct Line {
  std::string left, right;
};

std::string section(const Style& style, std::string_view title, const std::vector<Line>& lines) {
  if (lines.empty()) return "";
  constexpr int kWidestLeft = 26;
  int left = 0;
  for (const Line& line : lines) left = std::max(left, columns(line.left));
  left = std::min(left, kWidestLeft) + 4;

  std::string result = fmt::format("\n{}\n", style.bold(title));
  for (const Line& line : lines) {
    const std::string right = wrapped(line.right, output_width(), left);
    const bool fits = columns(line.left) + 2 < left;
    result += fits ? fmt::format("  {:<{}}{}\n", line.left, left - 2, right)
                   : fmt::format("  {}\n{:{}}{}\n", line.left, "", left, right);
  }
  return result;
}

std::vector<Line> lines_of(const std::vector<OptionEntry>& entries, bool arguments) {
  std::vector<Line> lines;
  for (const OptionEntry& entry : entries) {
    if (entry.argument == arguments) lines.push_back({entry.heading(), entry.doc});
  }
  return lines;
}

std::string examples_text(const Style& style, const std::vector<Example>& examples) {
  std::string result = fmt::format("\n{}\n", style.bold("Examples"));
  for (const Example& example : examples) {
    result += fmt::format("  {}\n      {}\n", example.command, style.dim(example.meaning));
  }
  return result;
}

}  // namespace

std::string root_help(const VerbRegistry& verbs) {
  const Style style(verbs.globals().color);
  std::vector<Line> names;
  for (const auto& verb : verbs.verbs()) {
    names.push_back({verb->name, verb->doc});
  }
  std::vector<Example> examples;
  for (const auto& verb : verbs.verbs()) examples.push_back(verb->examples.front());
  return fmt::format("{}: {}\n\n{} sextant VERB [ARGUMENTS] [OPTIONS]\n", style.bold("sextant"),
                     kProgramDoc, style.bold("Usage:")) +
         section(style, "Verbs", names) +
         section(style, "Options, before or after the verb",
                 lines_of(options_of(verbs.root()), false)) +
         examples_text(style, examples) + "\n'sextant VERB --help' explains one verb.\n";
}

std::string verb_help(const VerbRegistry& verbs, const Verb& verb) {
  const Style style(verbs.globals().color);
  const std::vector<OptionEntry> own = options_of(*verb.app);
  return fmt::format("{}: {}\n\n{} {}\n", style.bold("sextant " + verb.name), verb.doc,
                     style.bold("Usage:"), usage(verb)) +
         section(style, "Arguments", lines_of(own, true)) +
         section(style, "Options", lines_of(own, false)) +
         section(style, "Options of every verb", lines_of(global_options_of(verbs, verb), false)) +
         examples_text(style, verb.examples);
}

}  // namespace sextant::cli
