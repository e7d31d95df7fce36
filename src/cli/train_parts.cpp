// SPDX-License-Identifier: Apache-2.0
#include "cli/train_parts.h"

#include <errno.h>  // program_invocation_name
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "cli/command_tree.h"
#include "cli/options.h"
#include "cli/output.h"
#include "io/atomic_file.h"
#include "run/provenance.h"
#include "run/slurm_script.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTime = "24:00:00";

fs::path script_file(const TrainChoice& choice) {
  if (choice.slurm != "true") return choice.slurm;
  fs::path folder = fs::path(choice.output).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // "out/"
  return folder += ".sbatch";
}

void write_program(const fs::path& file, const std::string& text, bool force) {
  AtomicFile out(file, force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep);
  out.write(text);
  out.make_executable();
  out.commit();
}

SlurmJob train_job(const TrainChoice& choice, Index trials) {
  const std::set<std::string> not_passed_on = {"--slurm", "--array",  "--time",
                                               "--jobs",  "--resume", "--force"};
  SlurmJob job;
  job.name = script_file(choice).stem().string();
  job.command = {program_invocation_name, "train"};
  for (std::string& word : given_words(*choice.app, not_passed_on))
    job.command.push_back(std::move(word));
  const std::string jobs = R"(--jobs "${SLURM_CPUS_PER_TASK:-1}")";
  job.part_arguments = {R"(--rank "$part")", jobs};
  job.end_arguments = {"--resume", jobs};
  job.cpus = choice.jobs.value_or(1);
  job.parts =
      choice.array.value_or(std::clamp<Index>((trials + job.cpus - 1) / job.cpus, 1, kMostParts));
  job.time = choice.time.empty() ? kTime : choice.time;
  job.memory = choice.memory;
  return job;
}

}  // namespace

void check_parts_fit(const TrainChoice& choice) {
  require(choice.rank.empty() || !choice.force, "--rank",
          "must not go with --force: parts that are submitted again would start anew");
  require(choice.rank.empty() || choice.slurm.empty(), "--rank", "must not go with --slurm");
  for (const char* option : {"--array", "--time"})
    require(!choice.slurm.empty() || !given(*choice.app, option), option,
            "does nothing without --slurm");
  if (!choice.time.empty()) check_slurm_time("--time", choice.time);
}

void show_part(const Shard& share, std::span<const TrialOutcome> outcomes, const fs::path& folder,
               const Globals& globals) {
  const auto finished = std::ranges::count_if(
      outcomes, [](const TrialOutcome& outcome) { return outcome.result.has_value(); });
  if (!globals.json) {
    print(fmt::format(
        "Part {} of {}: {} of {} trials are in {}.\n"
        "When all parts are done, the same command with --resume in place of --rank writes the "
        "tables.\n",
        share.index, share.count, finished, outcomes.size(), path_text(folder)));
    return;
  }
  Json document = new_document("train");
  document["rank"] = {{"index", share.index}, {"count", share.count}};
  document["trials"] = Json::array();
  for (const TrialOutcome& each : outcomes)
    document["trials"].push_back({{"encoding", each.trial.encoding},
                                  {"seed", each.trial.seed},
                                  {"folder", each.folder},
                                  {"done", each.result.has_value()},
                                  {"error", each.error}});
  print(to_text(document));
}

int write_slurm_script(const TrainChoice& choice, const Globals& globals) {
  const TrainingRun training = training_run(choice, globals);
  const Index trials = training.seeds * std::ssize(training.encodings);
  const fs::path file = script_file(choice);
  const std::string name = file.string();
  require(std::ranges::none_of(name, [](char c) { return c == '\n' || c == '\r'; }), "--slurm",
          "must be the name of a file on one line, but got '{}'", escaped(name));
  const SlurmJob job = train_job(choice, trials);
  write_program(file, slurm_script(job, name), choice.force);
  const std::vector<std::string> submission = slurm_submission(name);
  if (globals.json) {
    Json document = new_document("train");
    document["script"] = name;
    document["trials"] = trials;
    document["parts"] = job.parts;
    document["submit"] = submission;
    print(to_text(document));
    return 0;
  }
  print(fmt::format(
      "Written: {}, {} trials in {} parts of {} at once. To submit the parts, and the job that\n"
      "writes the tables when they have ended:\n\n  {}\n",
      path_text(file), trials, job.parts, job.cpus, fmt::join(submission, "\n  ")));
  return 0;
}

}  // namespace sextant::cli
