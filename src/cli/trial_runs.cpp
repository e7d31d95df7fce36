// SPDX-License-Identifier: Apache-2.0
#include "cli/trial_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

#include "base/check.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "io/json_input.h"
#include "run/process_pool.h"
#include "run/trial_document.h"
#include "training/named_files.h"
#include "training/trial_json.h"
#include "training/trial_plan.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

// "35 steps/s  ", "0.41 steps/s  "; nothing while programs are still starting.
std::string rate_text(double steps, double seconds) {
  constexpr double kStart = 3.0;
  if (seconds < kStart) return "";
  const double rate = steps / seconds;
  return rate < 10.0 ? fmt::format("{:.2g} steps/s  ", rate)
                     : fmt::format("{:.0f} steps/s  ", rate);
}

// Steps of all trials that run here, as one number.
class StepCount {
 public:
  StepCount(Progress& progress, std::vector<Index> steps)
      : progress_(progress), steps_(std::move(steps)) {
    progress_.stage("training");
  }

  // A line of sextant-lab. What is no progress is passed over.
  void line(std::size_t trial, std::string_view text) {
    const auto json = JsonInput::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("step") || !json["step"].is_number_integer()) return;
    const auto step = std::clamp<Index>(json["step"].get<Index>(), 0, steps_[trial]);
    first_.emplace(trial, step - 1);  // a trial that goes on does not begin at 1
    last_[trial] = step;
    show();
  }
  void end(std::size_t trial) {
    first_.emplace(trial, 0);
    last_[trial] = steps_[trial];
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
    const auto all =
        static_cast<double>(std::accumulate(steps_.begin(), steps_.end(), Index{0}) - saved);
    progress_.part(static_cast<double>(done) / std::max(1.0, all),
                   fmt::format("{}{} of {} trials", rate_text(static_cast<double>(done), seconds),
                               ended_, steps_.size()));
  }

  using Clock = std::chrono::steady_clock;
  Progress& progress_;
  std::vector<Index> steps_;  // of each trial
  std::size_t ended_ = 0;
  Clock::time_point started_ = Clock::now();
  std::map<std::size_t, Index> first_, last_;
};

// The result of a trial that has ended, or why there is none. A file that is no result is the
// fault of this trial alone.
void take_result(TrialOutcome& outcome, const fs::path& folder, const ProcessEnd& end,
                 const std::string& corpus_hash, const std::string& files_hash) {
  if (!end.ok()) {
    outcome.error = end.reason();
    return;
  }
  try {
    outcome.result = finished_trial(folder, outcome.trial, corpus_hash, files_hash);
    if (!outcome.result) outcome.error = fmt::format("sextant-lab left no {}", kResultName);
  } catch (const Error& error) {
    outcome.error = error.what();
  }
}

// Of a trial without a corpus there is none.
std::string hash_of(const Trial& trial, const TrialRuns& runs) {
  return trial.corpus.inputs.empty() ? std::string() : runs.corpus_hash;
}

// A trial that has to run.
struct OpenTrial {
  TrialOutcome* outcome = nullptr;
  std::string files_hash = {};
  std::vector<std::string> command = {};
};

// Those without a result; the others get theirs.
std::vector<OpenTrial> open_trials(std::span<TrialOutcome> outcomes, const TrialRuns& runs) {
  std::vector<OpenTrial> open;
  NamedFiles files;
  for (TrialOutcome& outcome : outcomes) {
    const std::string files_hash = files.hash(outcome.trial);
    const fs::path own = made_folder(runs.folder / outcome.folder);
    if (runs.resume)
      outcome.result = finished_trial(own, outcome.trial, hash_of(outcome.trial, runs), files_hash);
    if (outcome.result) continue;
    std::error_code none;
    fs::remove(own / kResultName, none);
    write_file(own / kJobName, to_text(trial_json(outcome.trial)));
    OpenTrial each{.outcome = &outcome,
                   .files_hash = files_hash,
                   .command = {runs.lab.string(), runs.verb, (own / kJobName).string(), "--folder",
                               own.string()}};
    if (runs.resume) each.command.emplace_back("--resume");
    open.push_back(std::move(each));
  }
  return open;
}

}  // namespace

ErrorCode failure_code(const ProcessEnd& end) {
  constexpr ErrorCode kKnown[] = {
      ErrorCode::kUsage,      ErrorCode::kMalformed, ErrorCode::kUnreadable, ErrorCode::kRefused,
      ErrorCode::kUnwritable, ErrorCode::kNumeric,   ErrorCode::kCheckpoint};
  for (const ErrorCode code : kKnown)
    if (end.signal == 0 && end.status == exit_status(code)) return code;
  return ErrorCode::kInternal;
}

void check_nothing_exists(const fs::path& folder, std::string_view document,
                          std::span<const TrialOutcome> outcomes) {
  std::vector<fs::path> paths = {folder / document};
  paths.reserve(outcomes.size() + 1);
  for (const TrialOutcome& each : outcomes) paths.push_back(folder / each.folder);
  std::error_code none;
  for (const fs::path& path : paths) {
    if (fs::exists(path, none))
      fail(ErrorCode::kUnwritable, path_text(path),
           "exists; --resume goes on with it, --force replaces it");
  }
}

int run_trials(std::span<TrialOutcome> outcomes, const TrialRuns& runs, const Globals& globals) {
  const std::vector<OpenTrial> open = open_trials(outcomes, runs);
  if (open.size() < outcomes.size())
    note(globals, fmt::format("{} of {} trials are finished already", outcomes.size() - open.size(),
                              outcomes.size()));
  std::vector<std::vector<std::string>> commands;
  std::vector<Index> steps;
  commands.reserve(open.size());
  steps.reserve(open.size());
  for (const OpenTrial& each : open) {
    commands.push_back(each.command);
    steps.push_back(each.outcome->trial.schedule.steps);
  }
  Progress progress(globals);
  StepCount count(progress, std::move(steps));
  int status = 0;
  PoolOptions pool{.at_once = runs.jobs, .stop = &stop_requested()};
  pool.on_line = [&](std::size_t i, std::string_view line) { count.line(i, line); };
  pool.on_end = [&](std::size_t i, const ProcessEnd& end) {
    TrialOutcome& outcome = *open[i].outcome;
    count.end(i);
    take_result(outcome, runs.folder / outcome.folder, end, hash_of(outcome.trial, runs),
                open[i].files_hash);
    if (outcome.result || stop_requested()) return;
    progress.clear();
    note(globals, fmt::format("{} seed {} failed: {}", shown_encoding(outcome.trial.encoding),
                              outcome.trial.seed, outcome.error));
    if (status == 0) status = exit_status(failure_code(end));
  };
  run_processes(commands, pool);
  return stop_requested() ? kStoppedBySignal : status;
}

}  // namespace sextant::cli
