// SPDX-License-Identifier: Apache-2.0
// sextant reproduce: every published number beside our own. What must be trained is planned over
// all tables first and runs in one pool of processes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/lab_program.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/reproduce_text.h"
#include "cli/study_output.h"
#include "cli/trial_runs.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "run/provenance.h"
#include "run/reproduction_document.h"
#include "sextant/error.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

constexpr Index kSeeds = 5, kQuickSeeds = 3;
constexpr const char* kDocumentName = "reproduce.json";
constexpr const char* kFolder = "sextant-reproduce";

struct Choice {
  std::vector<std::string> names, corpora;
  std::string tokens = "words", output;
  std::optional<Index> seeds, jobs;
  bool list = false, quick = false, resume = false, force = false;
};

using Entries = std::vector<const ReproductionRegistry::Entry*>;

Entries chosen(const Choice& choice) {
  Entries result;
  for (const std::string& name : choice.names) {
    const ReproductionRegistry::Entry* entry = &reproductions().find(name);
    if (std::ranges::find(result, entry) == result.end()) result.push_back(entry);
  }
  if (choice.names.empty())
    for (const ReproductionRegistry::Entry& entry : reproductions().entries())
      result.push_back(&entry);
  return result;
}

// Names of --corpus that some of the tables ask for.
std::vector<std::string> corpus_names(const Entries& entries) {
  std::vector<std::string> result;
  for (const auto* entry : entries)
    for (const std::string& name : corpora_of(*entry))
      if (std::ranges::find(result, name) == result.end()) result.push_back(name);
  return result;
}

std::map<std::string, std::string> corpora(const Choice& choice, const Entries& entries) {
  const std::vector<std::string> known = corpus_names(chosen({})), used = corpus_names(entries);
  std::map<std::string, std::string> result;
  for (const std::string& each : choice.corpora) {
    const std::size_t equals = each.find('=');
    require(equals != std::string::npos && equals + 1 < each.size(), "--corpus",
            "must be NAME=FILE but got '{}'", escaped(each));
    const std::string name = each.substr(0, equals);
    require(std::ranges::find(known, name) != known.end(), "--corpus",
            "no table needs '{}'{}; known are {}", escaped(name), suggestion(name, known),
            fmt::join(known, ", "));
    require(std::ranges::find(used, name) != used.end(), "--corpus",
            "none of the chosen tables reads {}", name);
    require(result.emplace(name, each.substr(equals + 1)).second, "--corpus", "{} stands twice",
            name);
  }
  return result;
}

// The program that trains, or nothing and a note. Throws where nothing can be done without it.
std::optional<fs::path> lab(const Entries& entries, const Globals& globals) {
  bool some = false, all = true;
  for (const auto* entry : entries) {
    for (const PublishedCell& cell : entry->cells()) {
      some = some || needs_lab(cell);
      all = all && needs_lab(cell);
    }
  }
  if (!some) return {};
  if (all) return lab_program();
  try {
    return lab_program();
  } catch (const Error& error) {
    note(globals, error.what());
    return {};
  }
}

int show_list(const Globals& globals) {
  if (!globals.json) {
    print(reproduction_list_text(reproductions(), Style(globals.color)));
    return 0;
  }
  Json document = new_document("reproduce");
  document["reproductions"] = Json::array();
  for (const auto* entry : chosen({}))
    document["reproductions"].push_back(reproduction_info_json(*entry));
  print(to_text(document));
  return 0;
}

// Of a corpus that no table of this run read there is no hash.
Json provenance_of(std::span<const Reproduction> tables, std::span<const TrialOutcome> outcomes,
                   const ReproductionContext& context) {
  std::set<std::string> frameworks;
  for (const TrialOutcome& outcome : outcomes)
    if (outcome.result) frameworks.insert(outcome.result->framework);
  Json json = build_json();
  json["frameworks"] = frameworks;
  json["input_hashes"] = Json::object();
  for (const auto& [name, file] : context.corpora) json["input_hashes"][name] = nullptr;
  for (const Reproduction& table : tables)
    for (const PublishedCell& cell : table.cells)
      if (cell.input_hash) json["input_hashes"][cell.corpus] = input_hash_text(*cell.input_hash);
  return json;
}

Json document_of(std::span<const Reproduction> tables, std::span<const TrialOutcome> outcomes,
                 const ReproductionContext& context, Index seeds) {
  Json document = new_document("reproduce");
  document["options"] = {{"quick", context.quick},
                         {"seeds", seeds},
                         {"seed", context.seed},
                         {"tokens", context.tokenizer}};
  document["tables"] = Json::array();
  document["left_out"] = Json::array();
  for (const Reproduction& table : tables) {
    for (const Json& cell : cells_json(table)) document["tables"].push_back(cell);
    for (const std::string& each : table.left_out)
      document["left_out"].push_back({{"name", table.entry->info.name}, {"cell", each}});
  }
  document["provenance"] = provenance_of(tables, outcomes, context);
  return document;
}

// Returns the exit status.
int train(std::vector<TrialOutcome>& outcomes, const fs::path& folder, const fs::path& program,
          const Choice& choice, const Globals& globals) {
  return run_trials(outcomes,
                    {.folder = folder,
                     .lab = program,
                     .resume = choice.resume,
                     .jobs = choice.jobs.value_or(globals.threads)},
                    globals);
}

int run(const Choice& choice, const Globals& globals) {
  if (choice.list) {
    require(choice.names.empty(), "--list", "stands alone: nothing is computed");
    return show_list(globals);
  }
  require(!choice.resume || !choice.force, "--resume", "must not go with --force");
  const Entries entries = chosen(choice);
  const Index seeds = choice.seeds.value_or(choice.quick ? kQuickSeeds : kSeeds);
  const ReproductionContext context{.quick = choice.quick,
                                    .threads = globals.threads,
                                    .seed = static_cast<std::uint64_t>(globals.seed.value_or(1)),
                                    .corpora = corpora(choice, entries),
                                    .tokenizer = choice.tokens,
                                    .stop = &stop_requested()};
  const std::optional<fs::path> program = lab(entries, globals);
  std::vector<Reproduction> tables;
  tables.reserve(entries.size());
  for (const auto* entry : entries) tables.push_back(planned(*entry, context, program.has_value()));
  std::vector<TrialOutcome> outcomes = trials_of(tables, context, seeds);

  // A run that trains nothing leaves no folder unless it is asked for.
  const bool keeps = !outcomes.empty() || !choice.output.empty();
  const fs::path folder = choice.output.empty() ? kFolder : choice.output;
  std::optional<FolderLock> lock;
  if (keeps) {
    lock.emplace(made_folder(folder));
    if (!choice.resume && !choice.force) check_nothing_exists(folder, kDocumentName, outcomes);
  }
  int status = 0;
  if (!outcomes.empty()) status = train(outcomes, folder, program.value(), choice, globals);
  if (status == kStoppedBySignal) {
    note(globals, "stopped; the same command with --resume goes on");
    return status;
  }
  {
    Progress progress(globals);
    const EndsAtOnce ends_at_once;
    for (Reproduction& table : tables) {
      progress.stage(table.entry->info.name);
      finish(table, outcomes, context);
    }
  }
  const Json document = document_of(tables, outcomes, context, seeds);
  if (keeps) write_file(folder / kDocumentName, to_text(document));
  if (globals.json) {
    print(to_text(document));
    return status;
  }
  const Style style(globals.color);
  for (const Reproduction& table : tables) print(reproduction_text(table, style) + "\n");
  print(reproduction_summary(tables, style));
  if (keeps) print(fmt::format("\nWritten to {}: {}\n", path_text(folder), kDocumentName));
  return status;
}

}  // namespace

void register_reproduce(VerbRegistry& verbs) {
  Verb& verb = verbs.add("reproduce", "Print published numbers beside our own, with verdicts");
  const auto choice = std::make_shared<Choice>();
  add_texts(*verb.app, "NAME", choice->names, "NAME",
            fmt::format("Tables (default: all): {}", fmt::join(reproductions().names(), ", ")));
  add_flag(*verb.app, "--quick", choice->quick,
           "Five minutes on two cores: fewer seeds and readings; says what is left out");
  add_integer(*verb.app, "--seeds", choice->seeds, 1, kMostSeeds,
              fmt::format("Runs of what is trained, from --seed on (default {}; {} with --quick)",
                          kSeeds, kQuickSeeds));
  add_integer(*verb.app, "--jobs", choice->jobs, 1, kMostJobs,
              "Trials at once, one thread each (default: one per core)");
  add_repeated(
      *verb.app, "--corpus", choice->corpora, "NAME=FILE",
      fmt::format("Texts that a table needs: {}", fmt::join(corpus_names(chosen({})), ", ")));
  add_text(*verb.app, "--tokens", choice->tokens, "T",
           "Tokenizer of these texts: words, wordpiece:VOCAB, ... (default words)");
  add_text(*verb.app, "-o,--output", choice->output, "DIR",
           fmt::format("Folder of trials and of {} (default {}, where something is trained)",
                       kDocumentName, kFolder));
  add_flag(*verb.app, "--resume", choice->resume, "Keep finished trials and go on with the others");
  add_flag(*verb.app, "--force", choice->force, "Replace an existing run");
  add_flag(*verb.app, "--list", choice->list,
           "Name the tables and what they need; compute nothing");
  verb.argument_is_optional = true;
  verb.examples = {{"sextant reproduce --list", "the tables and what they need"},
                   {"sextant reproduce --quick", "everything, in five minutes"},
                   {"sextant reproduce jordan-rope", "table 3 of Jordan-RoPE, which is exact"},
                   {"sextant reproduce running-sum --seeds 10 -o sums --resume",
                    "Li's table 5; go on where it was stopped"},
                   {"sextant reproduce stress --corpus sst2=train.tsv --corpus imdb=imdb.jsonl.zst",
                    "stress on texts that you have"},
                   {"sextant reproduce --json > reproduce.json", "every cell, for programs"}};
  verb.takes_json = verb.takes_seed = verb.takes_threads = true;
  verb.run = [choice, &globals = verbs.globals()] { return run(*choice, globals); };
}

}  // namespace sextant::cli
