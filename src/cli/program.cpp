// SPDX-License-Identifier: Apache-2.0
// The command line: global options, the verbs, and the only place that catches.
#include "cli/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <new>
#include <thread>

#include "base/check.h"
#include "base/text.h"
#include "cli/command_tree.h"
#include "cli/hand_over.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/verb.h"
#include "sextant/error.h"

namespace sextant::cli {

#define X(name) void register_##name(VerbRegistry&);
#include "catalogue_verbs.inc"
#undef X

namespace {

// What the global options are parsed into before they are checked against the verb.
struct GlobalValues {
  Globals globals;
  std::string color = "auto";
  std::optional<Index> threads;
  bool help = false;
  bool version = false;
};

void add_global_options(CLI::App& root, GlobalValues& values) {
  add_flag(root, "--json", values.globals.json, "Print one JSON document instead of text");
  add_flag(root, "-q,--quiet", values.globals.quiet, "Print no messages, results only");
  add_choice(root, "--color", values.color, {"auto", "always", "never"},
             "Colour and bold text; auto asks the terminal and NO_COLOR (default auto)");
  add_integer(
      root, "--threads", values.threads, 1, kMostThreads,
      "Threads to use; no answer depends on them (default: one per core, shared by the ranks "
      "of a machine; bench: one)");
  add_integer(root, "--seed", values.globals.seed, 0, kLargest,
              "Seed of what is drawn at random: values of encodings, splits, shuffles (default 1)");
  add_flag(root, "--version", values.version, "Print the version");
  add_flag(root, "-h,--help", values.help, "Explain the program, or one verb");
}

// The ranks of a machine share its cores, and each may be bound to some of them.
Index default_threads(const Communicator& ranks) {
  const Index allowed = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  if (ranks.on_host() == 1) return allowed;
  return std::clamp<Index>(sysconf(_SC_NPROCESSORS_ONLN) / ranks.on_host(), 1, allowed);
}

void finish_globals(GlobalValues& values) {
  constexpr Color kColors[] = {Color::kAuto, Color::kAlways, Color::kNever};
  values.globals.color = kColors[choice("--color", values.color, {"auto", "always", "never"})];
  values.globals.threads = values.threads.value_or(default_threads(*values.globals.ranks));
  const Communicator& ranks = *values.globals.ranks;
  if (!ranks.is_root()) values.globals.quiet = true;
  // A launcher gives its ranks a terminal that is not the user's.
  if (&ranks != &alone() && values.globals.color == Color::kAuto)
    values.globals.color = Color::kNever;
}

const Verb* chosen_verb(const VerbRegistry& verbs) {
  for (const auto& verb : verbs.verbs()) {
    if (verb->app->parsed()) return verb.get();
  }
  return nullptr;
}

[[noreturn]] void fail_at_extra(const VerbRegistry& verbs, const Verb* verb,
                                const std::string& extra) {
  std::vector<std::string> candidates;
  if (extra.size() > 1 && extra.front() == '-') {
    const std::string word = extra.substr(0, extra.find('='));
    std::vector<OptionEntry> known = options_of(verb == nullptr ? verbs.root() : *verb->app);
    if (verb != nullptr)
      std::ranges::copy(global_options_of(verbs, *verb), std::back_inserter(known));
    for (const OptionEntry& entry : known) {
      if (!entry.argument) std::ranges::copy(entry.names, std::back_inserter(candidates));
    }
    fail(ErrorCode::kUsage, escaped(word), "unknown option{}", suggestion(word, candidates));
  }
  if (verb != nullptr) {
    fail(ErrorCode::kUsage, verb->name, "unexpected argument '{}'; usage: {}", escaped(extra),
         usage(*verb));
  }
  for (const auto& each : verbs.verbs()) candidates.push_back(each->name);
  const std::string hint = suggestion(extra, candidates);
  fail(ErrorCode::kUsage, escaped(extra), "unknown verb{}",
       hint.empty() ? fmt::format("; the verbs are {}", fmt::join(candidates, ", ")) : hint);
}

void check_globals_fit(const VerbRegistry& verbs, const Verb& verb) {
  const std::vector<OptionEntry> taken = global_options_of(verbs, verb);
  for (const CLI::Option* option : verbs.root().get_options()) {
    const auto same = [&](const OptionEntry& e) {
      return e.names.back() == "--" + option->get_lnames().front();
    };
    require(option->count() == 0 || std::ranges::any_of(taken, same),
            "--" + option->get_lnames().front(), "does nothing beside the verb '{}'", verb.name);
  }
}

int run(const CLI::App& root, GlobalValues& values, const VerbRegistry& verbs) {
  finish_globals(values);
  const Verb* verb = chosen_verb(verbs);
  const std::vector<std::string> extras = root.remaining(true);
  if (!extras.empty()) fail_at_extra(verbs, verb, extras.front());
  if (values.help) {
    print(verb == nullptr ? root_help(verbs) : verb_help(verbs, *verb));
    return 0;
  }
  if (values.version) {
    print("sextant " SEXTANT_VERSION "\n");
    return 0;
  }
  require(verb != nullptr, "VERB", "must be given; 'sextant --help' lists the verbs");
  check_globals_fit(verbs, *verb);
  if (const Index tasks = tasks_apart(); verb->takes_ranks && tasks > 1)
    note(values.globals,
         fmt::format("srun started {} tasks without PMIx: each of them does the whole job; srun "
                     "--mpi=pmix makes them the ranks of one",
                     tasks));
  return verb->run();
}

// CLI11 says of an option that is repeated how many values it takes.
std::string parse_fault(const CLI::ParseError& error) {
  std::string text = error.what();
  constexpr std::string_view kRepeated = ": At Most 1 required but received ";
  const std::size_t at = text.find(kRepeated);
  if (at == text.npos) return text;
  const std::string times = text.substr(at + kRepeated.size());
  return text.substr(0, at) + (times == "2" ? ": stands twice" : ": stands " + times + " times");
}

// The first argument that names a verb.
const Verb* named_verb(const VerbRegistry& verbs, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const auto place = std::ranges::find(verbs.verbs(), argv[i], &Verb::name);
    if (place != verbs.verbs().end()) return place->get();
  }
  return nullptr;
}

int parse_and_run(int argc, char** argv, Communicator& ranks) {
  CLI::App root(kProgramDoc, "sextant");
  root.set_help_flag();  // --help is a flag as any other: it is answered after the parse
  GlobalValues values;
  values.globals.ranks = &ranks;
  add_global_options(root, values);

  VerbRegistry verbs(root, values.globals);
#define X(name) register_##name(verbs);
#include "catalogue_verbs.inc"
#undef X
  // One verb at most, so that `encodings table` asks about the encoding; what is left over is
  // reported by fail_at_extra(), with a suggestion.
  root.require_subcommand(0, 1);
  root.allow_extras();
  for (const auto& verb : verbs.verbs()) verb->app->fallthrough()->allow_extras();

  const Verb* verb = named_verb(verbs, argc, argv);
  if (verb != nullptr && verb->takes_ranks && &ranks == &alone() && started_as_ranks())
    hand_over(argv);
  root.parse(argc, argv);
  const int status = run(root, values, verbs);
  flush_output();
  return status;
}

}  // namespace

int report_error(std::string message, int status) {
  std::ranges::replace_if(
      message, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  message = fmt::format("sextant: error: {}\n", message);
  std::fwrite(message.data(), 1, message.size(), stderr);
  return status;
}

int guarded_main(int argc, char** argv, Communicator& ranks, const OnError& on_error) {
  try {
    return parse_and_run(argc, argv, ranks);
  } catch (const CLI::ParseError& error) {
    return on_error(parse_fault(error), exit_status(ErrorCode::kUsage));
  } catch (const Error& error) {
    return on_error(error.what(), exit_status(error.code()));
  } catch (const std::bad_alloc&) {
    return on_error("memory: not enough of it; nothing written", exit_status(ErrorCode::kRefused));
  } catch (const std::exception& error) {
    return on_error(fmt::format("internal: {}", error.what()), exit_status(ErrorCode::kInternal));
  }
}

}  // namespace sextant::cli
