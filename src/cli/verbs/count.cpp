// SPDX-License-Identifier: Apache-2.0
// sextant count: the counts of a corpus, or of one shard of it, as a file that needs no text again.
#include <algorithm>
#include <filesystem>

#include "base/check.h"
#include "base/text.h"
#include "cli/counts_text.h"
#include "cli/hand_over.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_options.h"
#include "cli/study_plan.h"
#include "corpus/checkpoint.h"
#include "run/counts_choice.h"
#include "run/shard_choice.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  StudyChoice study;
  std::string shard, output;
  bool force = false, resume = false;
};

// "part.{shard}.counts" of shard 3 is "part.3.counts": for tasks that are started with one command.
fs::path output_path(std::string text, const Shard& shard) {
  constexpr std::string_view kPlace = "{shard}";
  require(!text.empty(), "--output", "must be given, such as -o part{}", kCountsExtension);
  for (std::size_t at = 0; (at = text.find(kPlace)) != text.npos;)
    text.replace(at, kPlace.size(), std::to_string(shard.index));
  fs::path path = text;
  require(path.extension() == kCountsExtension, "--output", "must end in {} but is '{}'",
          kCountsExtension, path_text(path));
  return path;
}

// The counts that an earlier start of the same command wrote: a task may be started again after its
// end. Throws kCheckpoint when they are of another run.
CountsFile earlier_counts(const fs::path& output, const StudyChoice& choice, const StudyRun& run) {
  if (std::ranges::find(choice.corpus.inputs, "-") != choice.corpus.inputs.end())
    fail(ErrorCode::kCheckpoint, path_text(output),
         "is there, and what it has counted cannot be held against stdin; --force counts again");
  CountsFile file = read_counts(output);
  const CountsFile wanted = uncounted_choice(choice, run);
  check_same_run(file, wanted, output);
  if (!file.finished || !is_of_inputs(file.part, wanted.part))
    fail(ErrorCode::kCheckpoint, path_text(output), "the input differs from the one counted there");
  return file;
}

int run(const Options& options, const Globals& globals) {
  check_plan_fits(options.study);
  if (options.shard.empty())
    refuse_ranks("--shard",
                 "must be given under mpirun or srun: mpirun, slurm or i/N; without it "
                 "each rank would count everything");
  const Shard shard = options.shard.empty() ? Shard() : parse_shard("--shard", options.shard);
  const fs::path output = output_path(options.output, shard);
  check_not_an_input(output, options.study.corpus);
  require(!are_counts(options.study.corpus.inputs), "FILE",
          "is counted already; 'sextant merge' adds counts");
  StudyChoice choice = options.study;
  choice.corpus.shard = shard;
  fs::path checkpoints = output;
  checkpoints += ".checkpoint";
  std::error_code none;  // what cannot be looked at is told by the attempt to write it
  const bool is_there = options.resume && !options.force && fs::exists(output, none);
  const auto existing =
      options.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep;
  if (!is_there) const AtomicFile probe(output, existing);  // tells now whether it can be written
  std::optional<CountsFile> file;
  {
    Progress progress(globals);
    StudyRun run = study_run(globals, progress, {checkpoints, options.resume});
    run.may_sample = true;
    file = is_there ? earlier_counts(output, choice, run) : count_choice(choice, run);
  }
  if (!file) {
    note(globals, "stopped; the same command with --resume goes on");
    return kStoppedBySignal;
  }
  if (!is_there) write_counts(output, *file, existing);
  remove_checkpoints(checkpoints);
  show_counts("count", *file, output, globals);
  return 0;
}

}  // namespace

void register_count(VerbRegistry& verbs) {
  Verb& verb = verbs.add("count", "Count a corpus, or one shard of it, into a .counts file");
  const auto options = std::make_shared<Options>();
  add_corpus_options(*verb.app, options->study.corpus);
  add_counting_options(*verb.app, options->study);
  add_plan_options(*verb.app, options->study);
  add_text(*verb.app, "--shard", options->shard, "i/N",
           "Part i of N, from 0; slurm-array, slurm, mpirun and torchrun take both from the "
           "environment (default: the whole)");
  add_text(*verb.app, "-o,--output", options->output, "FILE",
           "Write the counts to FILE.counts; {shard} in it is the number of the shard");
  add_flag(*verb.app, "--force", options->force, "Replace an existing file");
  add_flag(*verb.app, "--resume", options->resume, "Go on from the checkpoint of a stopped run");
  verb.argument_is_optional = true;
  verb.examples = {
      {"sextant count reviews.tsv.gz --positions 128 -o reviews.counts", "count once, study often"},
      {"sextant count 'web-*.jsonl' --shard 3/8 -o part.3.counts", "the fourth of eight shards"},
      {"sextant count 'web-*.jsonl' --shard slurm-array -o 'part.{shard}.counts' --resume",
       "one task of sbatch --array=0-7, also when it is started again"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = true;
  verb.run = [options, &globals = verbs.globals()] {
    return options->study.plan ? show_plan(options->study, globals, "count", true)
                               : run(*options, globals);
  };
}

}  // namespace sextant::cli
