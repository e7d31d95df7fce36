// SPDX-License-Identifier: Apache-2.0
// Reads CLI11's tree of verbs and options.
#include "cli/command_tree.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/text.h"

namespace sextant::cli {

std::string OptionEntry::heading() const {
  const std::string joined = fmt::format("{}", fmt::join(names, ", "));
  return argument || value.empty() ? joined : joined + " " + value;
}

std::vector<std::string> OptionEntry::choices() const {
  if (value.find('|') == value.npos) return {};
  const std::vector<std::string_view> words = split(value, '|');
  return {words.begin(), words.end()};
}

std::vector<OptionEntry> options_of(const CLI::App& app) {
  std::vector<OptionEntry> result;
  for (const CLI::Option* option : app.get_options()) {
    OptionEntry entry;
    entry.argument = option->get_positional();
    if (entry.argument) entry.names.push_back(option->get_name(true));
    for (const std::string& name : option->get_snames()) entry.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) entry.names.push_back("--" + name);
    if (option->get_items_expected_max() > 0) entry.value = option->get_type_name();
    entry.several = option->get_items_expected_max() > 1;
    entry.doc = option->get_description();
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<OptionEntry> global_options_of(const VerbRegistry& verbs, const Verb& verb) {
  std::vector<OptionEntry> result = options_of(verbs.root());
  std::erase_if(result, [&verb](const OptionEntry& entry) {
    const std::string& name = entry.names.back();
    return (name == "--json" && !verb.takes_json) || (name == "--threads" && !verb.takes_threads) ||
           (name == "--seed" && !verb.takes_seed) || name == "--version" || name == "--help";
  });
  return result;
}

std::vector<std::string> given_words(const CLI::App& app, const std::set<std::string>& except) {
  std::vector<std::string> arguments, options;
  const auto add = [&](const CLI::Option* option) {
    if (option->get_positional()) {
      // A file may be called as an option is.
      for (const std::string& value : option->results())
        arguments.push_back(value.starts_with('-') ? "./" + value : value);
      return;
    }
    const std::string name = "--" + option->get_lnames().front();
    if (option->count() == 0 || except.contains(name)) return;
    if (option->get_items_expected_max() == 0) {
      options.push_back(name);
      return;
    }
    for (const std::string& value : option->results())
      options.push_back(fmt::format("{}={}", name, value));
  };
  std::ranges::for_each(app.get_options(), add);
  if (app.get_parent() != nullptr) std::ranges::for_each(app.get_parent()->get_options(), add);
  arguments.insert(arguments.end(), options.begin(), options.end());
  return arguments;
}

std::string usage(const Verb& verb) {
  std::string result = "sextant " + verb.name;
  for (const OptionEntry& entry : options_of(*verb.app)) {
    if (!entry.argument) continue;
    const std::string name = entry.heading() + (entry.several ? "..." : "");
    result += verb.argument_is_optional ? fmt::format(" [{}]", name) : " " + name;
  }
  return result + " [OPTIONS]";
}

const std::vector<ExitStatus>& exit_statuses() {
  static const std::vector<ExitStatus> statuses = {
      {0, "success"},
      {2, "usage: an unknown name, or a value that is wrong or does not fit"},
      {3, "an input file is malformed"},
      {4, "an input file cannot be read"},
      {5, "refused: the work does not fit into the memory at hand"},
      {6, "an output cannot be written"},
      {7, "numeric failure: a value is not finite, or a self-check failed"},
      {8, "stopped by a signal; --resume goes on"},
      {9, "no usable checkpoint, one of another run, or a folder in use"},
      {70, "internal error"},
  };
  return statuses;
}

}  // namespace sextant::cli
