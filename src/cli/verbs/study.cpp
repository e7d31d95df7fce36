// SPDX-License-Identifier: Apache-2.0
// sextant study: claims about training, each as trials with controls and what their numbers say.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/check.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/lab_program.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_output.h"
#include "cli/train_options.h"
#include "cli/trained_study_text.h"
#include "cli/trial_runs.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "run/earlier_run.h"
#include "run/provenance.h"
#include "run/trained_study.h"
#include "training/mlm_study.h"
#include "training/token_corpus.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDocumentName = "study.json";
constexpr const char* kSetupName = "setup.json";
constexpr const char* kSample = "synthetic:drift";  // where no text is given
constexpr Index kQuickSeeds = 2;

struct StudyChoice {
  std::vector<std::string> names;
  CorpusChoice corpus;
  std::optional<Index> seeds, jobs, vocabulary;
  std::string output = "sextant-study";
  bool list = false, quick = false, resume = false, force = false;
};

// In the order given, each once; all for none.
std::vector<StudyRegistry::Entry> chosen_studies(const std::vector<std::string>& names) {
  const std::span<const StudyRegistry::Entry> all = studies().entries();
  if (names.empty()) return {all.begin(), all.end()};
  std::vector<StudyRegistry::Entry> chosen;
  for (const std::string& name : names) {
    const StudyRegistry::Entry& entry = studies().find(name);
    if (std::ranges::find(chosen, entry.info, &StudyRegistry::Entry::info) == chosen.end())
      chosen.push_back(entry);
  }
  return chosen;
}

int show_list(const Globals& globals) {
  if (!globals.json) {
    print(study_list_text(studies(), Style(globals.color)));
    return 0;
  }
  Json document = new_document("study");
  document["studies"] = Json::array();
  for (const StudyRegistry::Entry& entry : studies().entries())
    document["studies"].push_back(study_info_json(*entry.info));
  print(to_text(document));
  return 0;
}

StudySetup study_setup(const StudyChoice& choice, const Globals& globals, bool needs_corpus) {
  StudySetup setup{.seed = static_cast<std::uint64_t>(globals.seed.value_or(1)),
                   .quick = choice.quick};
  setup.seeds = choice.seeds.value_or(choice.quick ? kQuickSeeds : setup.seeds);
  require(needs_corpus || choice.corpus.inputs.empty(), "--corpus",
          "none of these studies reads text");
  if (!needs_corpus) return setup;
  setup.corpus = trial_corpus(choice.corpus, choice.vocabulary);
  if (setup.corpus.inputs.empty()) {
    setup.corpus.inputs = {kSample};
    note(globals,
         fmt::format("no --corpus: the texts are {}, whose geometry is weak and known", kSample));
  }
  setup.tokens = read_token_corpus(setup.corpus);
  check_mlm_texts(setup);
  return setup;
}

// The folders of the studies, where one looks for what an earlier run left.
std::vector<TrialOutcome> places(std::span<const StudyRegistry::Entry> chosen) {
  std::vector<TrialOutcome> result(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) result[i].folder = chosen[i].info->name;
  return result;
}

// Runs the trials of one study; `status` is that of its trials.
TrainedStudy run_study(const StudyRegistry::Entry& entry, StudySetup setup, const TrialRuns& runs,
                       const Globals& globals, int& status) {
  setup.arrays = made_folder(runs.folder / "arrays");
  TrainedStudy study = planned_study(entry, setup, runs.folder);
  std::vector<TrialOutcome> outcomes;
  outcomes.reserve(study.outcomes.size());
  for (const StudyOutcome& each : study.outcomes) outcomes.push_back(each.outcome);
  status = run_trials(outcomes, runs, globals);
  if (status == kStoppedBySignal) return study;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    study.outcomes[i].outcome = std::move(outcomes[i]);
  study.findings = entry.analyse(setup, study.outcomes);
  return study;
}

Json options_json(const StudySetup& setup) {
  Json inputs = Json::array();
  for (const std::string& input : setup.corpus.inputs)
    inputs.push_back(fs::path(input).filename().string());
  return {{"seed", setup.seed},
          {"seeds", setup.seeds},
          {"quick", setup.quick},
          {"corpus", inputs},
          {"vocabulary", setup.corpus.inputs.empty() ? Json() : Json(setup.corpus.vocabulary)}};
}

// What a run that goes on must have in common with its first part: all but the number of seeds.
Json lasting_setup(const StudySetup& setup, const std::string& corpus_hash) {
  Json json = options_json(setup);
  json.erase("seeds");
  json["input_hash"] = corpus_hash;
  return json;
}

int run(const StudyChoice& choice, const Globals& globals) {
  if (choice.list) {
    require(choice.names.empty(), "--list", "stands alone: nothing is trained");
    return show_list(globals);
  }
  require(!choice.resume || !choice.force, "--resume", "must not go with --force");
  const std::vector<StudyRegistry::Entry> chosen = chosen_studies(choice.names);
  const fs::path lab = lab_program();
  const bool needs_corpus = std::ranges::any_of(
      chosen, [](const StudyRegistry::Entry& entry) { return entry.info->needs_corpus; });
  const StudySetup setup = study_setup(choice, globals, needs_corpus);
  const std::string corpus_hash = setup.tokens ? setup.tokens->hash : std::string();
  const fs::path folder = made_folder(fs::path(choice.output).lexically_normal());
  const FolderLock lock(folder);
  if (!choice.resume && !choice.force) check_nothing_exists(folder, kDocumentName, places(chosen));
  const Json lasting = lasting_setup(setup, corpus_hash);
  if (choice.resume) check_earlier_setup(folder / kSetupName, lasting);
  write_file(folder / kSetupName, to_text(lasting));
  stop_requested();  // from here on a signal ends the work in order
  Json document = new_document("study");
  document["options"] = options_json(setup);
  document["studies"] = Json::array();
  int status = 0;
  for (const StudyRegistry::Entry& entry : chosen) {
    note(globals, fmt::format("{}", entry.info->title));
    int own = 0;
    const TrainedStudy study = run_study(entry, setup,
                                         {.folder = folder / entry.info->name,
                                          .lab = lab,
                                          .corpus_hash = corpus_hash,
                                          .resume = choice.resume,
                                          .jobs = choice.jobs.value_or(globals.threads),
                                          .verb = std::string(entry.info->lab_verb)},
                                         globals, own);
    if (own == kStoppedBySignal) {
      note(globals, "stopped; the same command with --resume goes on");
      return own;
    }
    if (status == 0) status = own;
    document["studies"].push_back(study_json(study));
    if (!globals.json) print(trained_study_text(study, Style(globals.color)) + "\n");
  }
  document["provenance"] = build_json();
  document["provenance"]["input_hash"] = corpus_hash.empty() ? Json() : Json(corpus_hash);
  write_file(folder / kDocumentName, to_text(document));
  if (globals.json) {
    print(to_text(document));
  } else {
    if (choice.quick) print("--quick trains too little to decide anything.\n");
    print(fmt::format("Written to {}: {} and a folder for each trial\n", path_text(folder),
                      kDocumentName));
  }
  return status;
}

}  // namespace

void register_study(VerbRegistry& verbs) {
  Verb& verb = verbs.add("study", "Train models that test a theorem, with their controls");
  const auto choice = std::make_shared<StudyChoice>();
  CLI::App& app = *verb.app;
  add_texts(app, "NAME", choice->names, "NAME", "Studies by name (default: all)");
  add_texts(app, "--corpus", choice->corpus.inputs, "FILE",
            "Texts, for studies that need them: files or globs; .gz and .zst too (default "
            "synthetic:drift)");
  add_text_options(app, choice->corpus);
  add_integer(app, "--vocabulary", choice->vocabulary, 1, kLargest,
              "Most frequent words to tell apart, of --tokens words (default: all)");
  add_integer(app, "--seeds", choice->seeds, 1, kMostSeeds,
              "Runs of each case, from --seed on (default 5; 2 with --quick)");
  add_integer(app, "--jobs", choice->jobs, 1, kMostJobs,
              "Trials at once, one thread each (default: one per core)");
  add_text(app, "-o,--output", choice->output, "DIR",
           "Folder of trials and results (default sextant-study)");
  add_flag(app, "--quick", choice->quick, "A few steps: shows that it works, decides nothing");
  add_flag(app, "--resume", choice->resume, "Keep finished trials and go on with the others");
  add_flag(app, "--force", choice->force, "Replace an existing run");
  add_flag(app, "--list", choice->list, "Name the studies and what they ask; train nothing");
  verb.argument_is_optional = true;
  verb.examples = {
      {"sextant study --list", "the studies and what they ask"},
      {"sextant study necessity", "what models without positions learn, five seeds"},
      {"sextant study separation monotonicity --corpus reviews.tsv --vocabulary 2000",
       "learned tables against the geometry of a corpus"},
      {"sextant study --quick --json > quick.json", "all of them, a few steps each"},
  };
  verb.takes_json = verb.takes_seed = true;
  verb.run = [choice, &globals = verbs.globals()] { return run(*choice, globals); };
}

}  // namespace sextant::cli
