// SPDX-License-Identifier: Apache-2.0
// sextant train: transformers with several encodings on one task, over several seeds. The trials
// run in processes of sextant-lab; here they are planned, started and counted.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/lab_program.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_output.h"
#include "cli/train_options.h"
#include "cli/train_parts.h"
#include "cli/train_text.h"
#include "cli/trial_check.h"
#include "cli/trial_runs.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "io/input_file.h"
#include "report/page.h"
#include "run/earlier_run.h"
#include "run/shard_choice.h"
#include "run/training_page.h"
#include "training/trial_plan.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDocumentName = "train.json";
constexpr const char* kLinesName = "results.jsonl";
constexpr const char* kPageName = "report.html";
constexpr const char* kReportName = "report.json";  // of sextant report, with a page of its own
constexpr std::uint64_t kMostLinesBytes = std::uint64_t{1} << 30;

// What several trials say is said once.
void show_notes(const TrainingRun& run, const Globals& globals) {
  std::set<std::string> said;
  for (const TrialOutcome& outcome : run.outcomes) {
    if (!outcome.result) continue;
    for (const std::string& each : outcome.result->notes)
      if (said.insert(each).second) note(globals, each);
  }
}

bool has_number(const TrainingRun& run) {
  return std::ranges::any_of(run.outcomes, [](const TrialOutcome& outcome) {
    return outcome.result && !outcome.result->evaluations.empty();
  });
}

// What other verbs have written into the results of the folder.
std::string lines_to_keep(const fs::path& folder) {
  const fs::path lines = folder / kLinesName;
  std::error_code none;
  if (!fs::exists(lines, none)) return {};
  return lines_of_others(read_whole(lines, kMostLinesBytes), path_text(lines));
}

void write_results(const fs::path& folder, const Json& document, const std::string& before) {
  write_file(folder / kLinesName, before + training_lines(document));
  write_file(folder / kDocumentName, to_text(document));
}

// The names of what was written beside the folders of the trials.
std::vector<std::string> write_page(const fs::path& folder, const TrainingRun& run,
                                    const Json& document, const Globals& globals) {
  std::vector<std::string> names = {kDocumentName, kLinesName};
  std::error_code none;
  if (!has_report_page()) {
    note(globals, fmt::format("this build has no page: {} is not written", kPageName));
  } else if (fs::exists(folder / kReportName, none)) {
    note(globals, fmt::format("{} belongs to {}: no page of the training is written", kPageName,
                              kReportName));
  } else {
    Json page = new_document("train");
    page["training"] = training_page(run, document, folder);
    write_file(folder / kPageName, report_page(to_line(page)));
    names.emplace_back(kPageName);
  }
  return names;
}

int show_list(const Globals& globals) {
  if (!globals.json) {
    print(task_list_text(tasks(), Style(globals.color)));
    return 0;
  }
  Json document = new_document("train");
  document["tasks"] = Json::array();
  for (const std::string& each : tasks().names())
    document["tasks"].push_back(task_json(tasks().info(each)));
  print(to_text(document));
  return 0;
}

// One of each encoding.
std::vector<Trial> trials_to_check(const TrainingRun& run) {
  std::vector<Trial> result;
  std::set<std::string> seen;
  for (const TrialOutcome& outcome : run.outcomes)
    if (seen.insert(outcome.trial.encoding).second) result.push_back(outcome.trial);
  return result;
}

// The trials that were asked for, none of them run; of a rank its own.
TrainingRun planned_run(const TrainChoice& choice, const Globals& globals) {
  TrainingRun training = training_run(choice, globals);
  const std::vector<PlannedTrial> plan =
      trial_plan(training.common, training.encodings, training.seeds);
  const Shard share = choice.rank.empty() ? Shard() : parse_shard("--rank", choice.rank);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (part_of_trial(static_cast<Index>(i), std::ssize(training.encodings), share.count) ==
        share.index)
      training.outcomes.push_back({.trial = plan[i].trial, .folder = plan[i].folder});
  }
  return training;
}

int run_part(const TrainChoice& choice, TrainingRun& training, const fs::path& lab,
             const Globals& globals) {
  const fs::path folder = made_folder(fs::path(choice.output).lexically_normal());
  std::vector<std::string> names;
  names.reserve(training.outcomes.size());
  for (const TrialOutcome& each : training.outcomes) names.push_back(each.folder);
  const FolderParts parts(folder, names);
  check_earlier_run(folder, kDocumentName, training);
  stop_requested();  // from here on a signal ends the work in order
  const int status = run_trials(training.outcomes,
                                {.folder = folder,
                                 .lab = lab,
                                 .corpus_hash = training.corpus_hash,
                                 .resume = true,
                                 .jobs = choice.jobs.value_or(globals.threads)},
                                globals);
  if (status == kStoppedBySignal) {
    note(globals, "stopped; the same command goes on");
    return status;
  }
  show_notes(training, globals);
  show_part(parse_shard("--rank", choice.rank), training.outcomes, folder, globals);
  return status;
}

int run(const TrainChoice& choice, const Globals& globals) {
  if (choice.list) {
    require(choice.task.empty() && choice.encodings.empty(), "--list",
            "stands alone: nothing is trained");
    return show_list(globals);
  }
  check_parts_fit(choice);
  if (!choice.slurm.empty()) return write_slurm_script(choice, globals);
  const fs::path lab = lab_program();
  TrainingRun training = planned_run(choice, globals);
  const Index jobs = choice.jobs.value_or(globals.threads);
  if (needs_check(training.common) && !check_trials(lab, trials_to_check(training), jobs))
    return kStoppedBySignal;
  if (!choice.rank.empty()) return run_part(choice, training, lab, globals);
  const fs::path folder = made_folder(fs::path(choice.output).lexically_normal());
  const FolderLock lock(folder);
  if (!choice.resume && !choice.force)
    check_nothing_exists(folder, kDocumentName, training.outcomes);
  if (choice.resume) check_earlier_run(folder, kDocumentName, training);
  const std::string before = lines_to_keep(folder);
  // Until the new one is written, a run that replaces another has no document to go on from.
  std::error_code none;
  if (choice.force) fs::remove(folder / kDocumentName, none);
  stop_requested();  // from here on a signal ends the work in order
  int status = run_trials(training.outcomes,
                          {.folder = folder,
                           .lab = lab,
                           .corpus_hash = training.corpus_hash,
                           .resume = choice.resume,
                           .jobs = jobs},
                          globals);
  if (status == kStoppedBySignal) {
    note(globals, "stopped; the same command with --resume goes on");
    return status;
  }
  show_notes(training, globals);
  if (status == 0 && !has_number(training)) {
    note(globals, "no trial has a number: none was finite");
    status = exit_status(ErrorCode::kNumeric);
  }
  training.findings = findings(training.outcomes, training.asked);
  Json document = new_document("train");
  add_training(document, training);
  write_results(folder, document, before);
  const std::vector<std::string> names = write_page(folder, training, document, globals);
  if (globals.json) {
    print(to_text(document));
  } else {
    print(training_text(training, Style(globals.color)));
    print(fmt::format("\nWritten to {}: {} and a folder for each trial\n", path_text(folder),
                      fmt::join(names, ", ")));
  }
  return status;
}

}  // namespace

void register_train(VerbRegistry& verbs) {
  Verb& verb = verbs.add("train", "Train small transformers with each encoding and compare them");
  const auto choice = std::make_shared<TrainChoice>();
  add_train_options(*verb.app, *choice);
  verb.argument_is_optional = true;
  verb.examples = {
      {"sextant train --list", "the tasks and what they show"},
      {"sextant train running_sum", "seven encodings, five seeds, at 50, 100 and 200"},
      {"sextant train 'running_sum(target=mean)' --causal --encodings none,alibi,rope --seeds 10",
       "a causal model that counts"},
      {"sextant train lm text.jsonl.zst --train 128 --vocabulary 5000 --heads 4 -o lm --resume",
       "a language model; go on where it was stopped"},
      {"sextant train 'classify(readout=first)' sst2.tsv --text-column sentence --label-column "
       "label "
       "--model bert-base --weights model.safetensors --tokens wordpiece:vocab.txt --encodings "
       "learned,none",
       "BERT without its positions"},
      {"sextant train running_sum --seeds 20 --slurm -o sums",
       "a script for a cluster: sums.sbatch does the trials as a job array"},
      {"sextant train running_sum --seeds 20 --rank 2/8 -o sums", "the third of eight parts"},
      {"sextant train order --against sinusoidal --json > order.json", "every number"},
  };
  verb.takes_json = verb.takes_seed = true;
  verb.run = [choice, &globals = verbs.globals()] { return run(*choice, globals); };
}

}  // namespace sextant::cli
