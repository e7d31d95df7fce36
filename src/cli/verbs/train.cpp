// SPDX-License-Identifier: Apache-2.0
// sextant train: transformers with several encodings on one task, over several seeds. The trials
// run in processes of sextant-lab; here they are planned, started and counted.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "base/check.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/lab_program.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/study_output.h"
#include "cli/train_options.h"
#include "cli/train_text.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "io/input_file.h"
#include "io/json_input.h"
#include "run/process_pool.h"
#include "sextant/error.h"
#include "training/trial_json.h"
#include "training/trial_plan.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDocumentName = "train.json";
constexpr const char* kLinesName = "results.jsonl";
constexpr const char* kJobName = "job.json";
constexpr std::uint64_t kMostLinesBytes = std::uint64_t{1} << 30;

void write_file(const fs::path& path, const std::string& text) {
  AtomicFile file(path, AtomicFile::Existing::kReplace);
  file.write(text);
  file.commit();
}

fs::path made(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(ErrorCode::kUnwritable, path_text(folder), "{}", error.message());
  return folder;
}

// Steps of all trials that run here, as one number.
class StepCount {
 public:
  StepCount(Progress& progress, std::size_t trials, Index steps)
      : progress_(progress), trials_(trials), steps_(steps) {
    progress_.stage("training");
  }

  // A line of sextant-lab. What is no progress is passed over.
  void line(std::size_t trial, std::string_view text) {
    const auto json = JsonInput::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) return;
    const auto step = std::clamp<Index>(json["step"].get<Index>(), 0, steps_);
    first_.emplace(trial, step - 1);  // a trial that goes on does not begin at 1
    last_[trial] = step;
    show();
  }
  void end(std::size_t trial) {
    first_.emplace(trial, 0);
    last_[trial] = steps_;
    ++ended_;
    show();
  }

 private:
  void show() {
    Index done = 0, saved = 0;
    for (const auto& [trial, first] : first_) {
      saved += first;
      done += last_[trial] - first;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    const auto all = static_cast<double>(static_cast<Index>(trials_) * steps_ - saved);
    progress_.part(
        static_cast<double>(done) / std::max(1.0, all),
        fmt::format("{:.0f} steps/s  {} of {} trials",
                    static_cast<double>(done) / std::max(seconds, 1e-3), ended_, trials_));
  }

  using Clock = std::chrono::steady_clock;
  Progress& progress_;
  std::size_t trials_, ended_ = 0;
  Index steps_;
  Clock::time_point started_ = Clock::now();
  std::map<std::size_t, Index> first_, last_;
};

// Throws kUnwritable when something of an earlier run is in the way.
void check_output(const fs::path& folder, const TrainChoice& choice,
                  std::span<const PlannedTrial> plan) {
  if (choice.resume || choice.force) return;
  std::vector<fs::path> paths = {folder / kDocumentName};
  paths.reserve(plan.size() + 1);
  for (const PlannedTrial& each : plan) paths.push_back(folder / each.folder);
  std::error_code none;
  for (const fs::path& path : paths) {
    if (fs::exists(path, none))
      fail(ErrorCode::kUnwritable, path_text(path),
           "exists; --resume goes on with it, --force replaces it");
  }
}

// The result of a trial that has ended, or why there is none. A file that is no result is the
// fault of this trial alone.
void take_result(TrialOutcome& outcome, const fs::path& folder, const ProcessEnd& end,
                 const std::string& corpus_hash) {
  if (!end.ok()) {
    outcome.error = end.reason();
    return;
  }
  try {
    outcome.result = finished_trial(folder, outcome.trial, corpus_hash);
    if (!outcome.result) outcome.error = fmt::format("sextant-lab left no {}", kResultName);
  } catch (const Error& error) {
    outcome.error = error.what();
  }
}

// The exit status of a trial that failed: its own where that is one of ours.
int failed_status(const ProcessEnd& end) {
  const int internal = exit_status(ErrorCode::kInternal);
  constexpr ErrorCode kKnown[] = {
      ErrorCode::kUsage,      ErrorCode::kMalformed, ErrorCode::kUnreadable, ErrorCode::kRefused,
      ErrorCode::kUnwritable, ErrorCode::kNumeric,   ErrorCode::kCheckpoint};
  for (const ErrorCode code : kKnown)
    if (end.signal == 0 && end.status == exit_status(code)) return end.status;
  return internal;
}

// Runs what has no result yet and fills the outcomes. Returns the exit status.
int run_trials(TrainingRun& run, const TrainChoice& choice, const Globals& globals,
               const fs::path& lab) {
  const fs::path folder = choice.output;
  std::vector<std::size_t> open;  // outcomes without a result
  std::vector<std::vector<std::string>> commands;
  for (std::size_t i = 0; i < run.outcomes.size(); ++i) {
    TrialOutcome& outcome = run.outcomes[i];
    const fs::path own = made(folder / outcome.folder);
    if (choice.resume) outcome.result = finished_trial(own, outcome.trial, run.corpus_hash);
    if (outcome.result) continue;
    std::error_code none;
    fs::remove(own / kResultName, none);
    write_file(own / kJobName, to_text(trial_json(outcome.trial)));
    open.push_back(i);
    commands.push_back(
        {lab.string(), "trial", (own / kJobName).string(), "--folder", own.string()});
    if (choice.resume) commands.back().emplace_back("--resume");
  }
  if (open.size() < run.outcomes.size())
    note(globals, fmt::format("{} of {} trials are finished already",
                              run.outcomes.size() - open.size(), run.outcomes.size()));

  Progress progress(globals);
  StepCount count(progress, open.size(), run.common.schedule.steps);
  int status = 0;
  PoolOptions pool{.at_once = choice.jobs.value_or(globals.threads), .stop = &stop_requested()};
  pool.on_line = [&](std::size_t i, std::string_view line) { count.line(i, line); };
  pool.on_end = [&](std::size_t i, const ProcessEnd& end) {
    TrialOutcome& outcome = run.outcomes[open[i]];
    const fs::path own = folder / outcome.folder;
    count.end(i);
    take_result(outcome, own, end, run.corpus_hash);
    if (outcome.result || stop_requested()) return;
    progress.clear();
    note(globals, fmt::format("{} seed {} failed: {}", shown_encoding(outcome.trial.encoding),
                              outcome.trial.seed, outcome.error));
    if (status == 0) status = failed_status(end);
  };
  run_processes(commands, pool);
  return stop_requested() ? kStoppedBySignal : status;
}

// What several trials say is said once.
void show_notes(const TrainingRun& run, const Globals& globals) {
  std::set<std::string> said;
  for (const TrialOutcome& outcome : run.outcomes) {
    if (!outcome.result) continue;
    for (const std::string& each : outcome.result->notes)
      if (said.insert(each).second) note(globals, each);
  }
}

void write_results(const fs::path& folder, const Json& document) {
  const fs::path lines = folder / kLinesName;
  std::error_code none;
  const std::string before =
      fs::exists(lines, none) ? read_whole(lines, kMostLinesBytes) : std::string();
  write_file(lines, training_lines(document, before, path_text(lines)));
  write_file(folder / kDocumentName, to_text(document));
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

int run(const TrainChoice& choice, const Globals& globals) {
  if (choice.list) {
    require(choice.task.empty() && choice.encodings.empty(), "--list",
            "stands alone: nothing is trained");
    return show_list(globals);
  }
  const fs::path lab = lab_program();
  TrainingRun training = training_run(choice, globals);
  const std::vector<PlannedTrial> plan =
      trial_plan(training.common, training.encodings, training.seeds);
  training.outcomes.reserve(plan.size());
  for (const PlannedTrial& each : plan)
    training.outcomes.push_back({.trial = each.trial, .folder = each.folder});
  const fs::path folder = made(choice.output);
  const FolderLock lock(folder);
  check_output(folder, choice, plan);
  stop_requested();  // from here on a signal ends the work in order
  const int status = run_trials(training, choice, globals, lab);
  if (status == kStoppedBySignal) {
    note(globals, "stopped; the same command with --resume goes on");
    return status;
  }
  show_notes(training, globals);
  training.findings = findings(training.outcomes, training.asked);
  Json document = new_document("train");
  add_training(document, training);
  write_results(folder, document);
  if (globals.json) {
    print(to_text(document));
  } else {
    print(training_text(training, Style(globals.color)));
    print(fmt::format("\nWritten to {}: {}, {} and a folder for each trial\n", path_text(folder),
                      kDocumentName, kLinesName));
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
      {"sextant train 'classify(readout=first)' sst2.tsv --label-column label --model bert-base "
       "--weights model.safetensors --tokens wordpiece:vocab.txt --encodings learned,none",
       "BERT without its positions"},
      {"sextant train order --against sinusoidal --json > order.json", "every number"},
  };
  verb.takes_json = verb.takes_seed = true;
  verb.run = [choice, &globals = verbs.globals()] { return run(*choice, globals); };
}

}  // namespace sextant::cli
