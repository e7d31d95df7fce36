// SPDX-License-Identifier: Apache-2.0
// sextant completion: scripts for shells, written from the tree of commands.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "cli/command_tree.h"
#include "cli/options.h"
#include "cli/output.h"
#include "sextant/registry.h"

namespace sextant::cli {
namespace {

// Words that may stand where the value of an entry is wanted.
std::vector<std::string> value_words(const OptionEntry& entry) {
  return entry.value == "SPEC" ? encodings().names() : entry.choices();
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string joined_names(const std::vector<OptionEntry>& entries) {
  std::vector<std::string> names;
  for (const OptionEntry& entry : entries)
    if (!entry.argument) std::ranges::copy(entry.names, std::back_inserter(names));
  return joined(names);
}

std::vector<OptionEntry> all_options(const VerbRegistry& verbs, const Verb& verb) {
  std::vector<OptionEntry> result = options_of(*verb.app);
  std::ranges::copy(global_options_of(verbs, verb), std::back_inserter(result));
  result.push_back({{"-h", "--help"}, "", "Explain this verb", false});
  return result;
}

std::string verb_names(const VerbRegistry& verbs) {
  std::vector<std::string> names;
  for (const auto& verb : verbs.verbs()) names.push_back(verb->name);
  return joined(names);
}

// What bash's compgen offers where the value of an entry is wanted.
std::string bash_action(const OptionEntry& entry) {
  if (entry.value == "FILE") return "-f";
  if (entry.value == "DIR") return "-d";
  return fmt::format("-W '{}'", joined(value_words(entry)));
}

std::string bash_case(const std::string& pattern, const std::vector<OptionEntry>& entries,
                      const std::string& more_words) {
  std::string values, argument;
  for (const OptionEntry& entry : entries) {
    if (entry.argument) {
      argument = bash_action(entry);
    } else if (!entry.value.empty()) {
      values += fmt::format("        {}) COMPREPLY=($(compgen {} -- \"$word\")); return ;;\n",
                            fmt::join(entry.names, "|"), bash_action(entry));
    }
  }
  std::string result =
      fmt::format("    {})\n      case $previous in\n{}      esac\n", pattern, values);
  if (!argument.empty()) {
    result += fmt::format(
        "      [[ $word == -* ]] || {{ COMPREPLY=($(compgen {} -- \"$word\")); return; }}\n",
        argument);
  }
  return result + fmt::format("      COMPREPLY=($(compgen -W '{} {}' -- \"$word\")) ;;\n",
                              more_words, joined_names(entries));
}

std::string bash_script(const VerbRegistry& verbs) {
  std::string cases;
  for (const auto& verb : verbs.verbs()) {
    cases += bash_case(verb->name, all_options(verbs, *verb), "");
  }
  const std::string names = verb_names(verbs);
  cases += bash_case("*", options_of(verbs.root()), names);
  std::string pattern = names;
  std::ranges::replace(pattern, ' ', '|');
  return fmt::format(
      "# bash completion for sextant\n"
      "_sextant() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} verb= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case ${{COMP_WORDS[i]}} in\n"
      "      {}) verb=${{COMP_WORDS[i]}}; break ;;\n"
      "    esac\n"
      "  done\n"
      "  case $verb in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "complete -F _sextant sextant\n",
      pattern, cases);
}

// Inside single quotes and the brackets of _arguments.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string zsh_action(const OptionEntry& entry) {
  if (entry.value == "FILE") return "_files";
  if (entry.value == "DIR") return "_files -/";
  const std::vector<std::string> words = value_words(entry);
  return words.empty() ? " " : fmt::format("({})", joined(words));
}

std::string zsh_arguments(const std::vector<OptionEntry>& entries) {
  std::string result;
  for (const OptionEntry& entry : entries) {
    if (entry.argument) {
      result += fmt::format(" \\\n        '1:{}:{}'", zsh_text(entry.names[0]), zsh_action(entry));
      continue;
    }
    for (const std::string& name : entry.names) {
      result += fmt::format(" \\\n        '{}[{}]", name, zsh_text(entry.doc));
      result += entry.value.empty()
                    ? "'"
                    : fmt::format(":{}:{}'", zsh_text(entry.names.back()), zsh_action(entry));
    }
  }
  return result;
}

std::string zsh_script(const VerbRegistry& verbs) {
  std::string names, cases;
  for (const auto& verb : verbs.verbs()) {
    names += fmt::format("    '{}:{}'\n", verb->name, zsh_text(verb->doc));
    cases += fmt::format("      {})\n      _arguments{} ;;\n", verb->name,
                         zsh_arguments(all_options(verbs, *verb)));
  }
  return fmt::format(
      "#compdef sextant\n"
      "_sextant() {{\n"
      "  local state line\n"
      "  local -a verbs=(\n{}  )\n"
      "  _arguments -C{} \\\n    '1: :->verb' '*:: :->rest'\n"
      "  case $state in\n"
      "  verb) _describe verb verbs ;;\n"
      "  rest)\n"
      "    case $line[1] in\n{}"
      "    esac ;;\n"
      "  esac\n"
      "}}\n"
      "compdef _sextant sextant\n",
      names, zsh_arguments(options_of(verbs.root())), cases);
}

std::string fish_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string fish_line(const std::string& condition, const OptionEntry& entry) {
  std::string line = fmt::format("complete -c sextant -n '{}'", condition);
  const std::vector<std::string> words = value_words(entry);
  if (entry.argument) return fmt::format("{} -f -a '{}'\n", line, joined(words));
  for (const std::string& name : entry.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!entry.value.empty()) line += entry.value == "FILE" || entry.value == "DIR" ? " -r" : " -x";
  if (!words.empty()) line += fmt::format(" -a '{}'", joined(words));
  return line + fmt::format(" -d '{}'\n", fish_text(entry.doc));
}

std::string fish_script(const VerbRegistry& verbs) {
  std::string result = "# fish completion for sextant\ncomplete -c sextant -f\n";
  for (const auto& verb : verbs.verbs()) {
    result += fmt::format("complete -c sextant -n __fish_use_subcommand -a {} -d '{}'\n",
                          verb->name, fish_text(verb->doc));
  }
  for (const OptionEntry& entry : options_of(verbs.root())) {
    result += fish_line("__fish_use_subcommand", entry);
  }
  for (const auto& verb : verbs.verbs()) {
    const std::string condition = "__fish_seen_subcommand_from " + verb->name;
    for (const OptionEntry& entry : all_options(verbs, *verb))
      result += fish_line(condition, entry);
  }
  return result;
}

}  // namespace

void register_completion(VerbRegistry& verbs) {
  Verb& verb = verbs.add("completion", "Print a script that completes commands in a shell");
  const auto shell = std::make_shared<std::string>();
  add_choice(*verb.app, "SHELL", *shell, {"bash", "zsh", "fish"}, "bash, zsh or fish");
  verb.examples = {
      {"source <(sextant completion bash)", "in this session"},
      {"sextant completion zsh > \"${fpath[1]}/_sextant\"", "in every session of zsh"},
      {"sextant completion fish > ~/.config/fish/completions/sextant.fish",
       "in every session of fish"},
  };
  verb.run = [shell, &verbs] {
    require(!shell->empty(), "SHELL", "must be given: bash, zsh or fish");
    print(*shell == "bash"  ? bash_script(verbs)
          : *shell == "zsh" ? zsh_script(verbs)
                            : fish_script(verbs));
    return 0;
  };
}

}  // namespace sextant::cli
