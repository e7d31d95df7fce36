// SPDX-License-Identifier: Apache-2.0
#include "cli/study_options.h"

#include <fmt/format.h>

#include "base/communicator.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/study_plan.h"
#include "run/handshake.h"
#include "run/study_files.h"

namespace sextant::cli {

void add_counting_options(CLI::App& app, StudyChoice& choice, bool shuffles) {
  add_integer(app, "--positions", choice.positions, 1, kMostPositions,
              "Positions to measure (default 64; 10 for the built-in sample)");
  add_choice(app, "--length", choice.length, kLengthWords,
             "Which sequences count: at least so long, any (later positions have fewer), or "
             "padded (default at-least)");
  add_choice(app, "--specials", choice.specials, kSpecialsWords,
             "Special tokens: none, or [CLS] ... [SEP] (default none)");
  add_flag(app, "--windows", choice.windows,
           "Cut documents into windows of --positions tokens, each a sequence");
  if (shuffles)
    add_integer(app, "--shuffles", choice.shuffles, 0, kMostShuffles,
                "Times that the tokens are shuffled for the null (default 20)");
  add_bytes(app, "--mem", choice.memory,
            "Refuse work that needs more memory (default: 80 % of what is available)");
}

void add_study_options(CLI::App& app, StudyChoice& choice, bool scores) {
  add_corpus_options(app, choice.corpus, true);
  add_counting_options(app, choice);
  add_integer(app, "--splits", choice.splits, 1, kMostSplits,
              "Splits into halves for the corrected distances (default 20)");
  add_choice(app, "--metric", choice.metric, kMetricWords,
             "Distance between distributions (default hellinger)");
  add_flag(app, "--no-intervals", choice.no_intervals,
           "No jackknife: less memory and time, no intervals");
  add_text(app, "--distributions", choice.distributions, "FILE",
           "Distributions [positions, types] as .npy instead of a corpus; no noise estimates");
  add_integer(app, "--dim", choice.dim, 1, kMostDim, "Dimension of a head (default 64)");
  add_plan_options(app, choice);
  if (!scores) return;
  add_text(app, "--encodings", choice.encodings, "SPEC,...",
           "Encodings to score (default: the whole catalogue)");
  add_integer(app, "--heads", choice.heads, 1, kMostHeads, "Heads; their mean counts (default 8)");
  add_integer(app, "--train", choice.train, 1, kMostPositions,
              "Training length of encodings that have one (default: --positions)");
}

StudyRun study_run(const Globals& globals, Progress& progress, const Checkpoints& checkpoints) {
  StudyRun run;
  run.threads = globals.threads;
  run.ranks = globals.ranks;
  if (globals.seed) run.seed = static_cast<std::uint64_t>(*globals.seed);
  run.stop = &stop_requested();  // from here on a signal ends the work in order
  run.checkpoints = checkpoints.folder;
  run.resume = checkpoints.resume;
  run.reading = [&progress](const CountProgress& p) {
    progress.update(p.read.bytes_read, p.read.bytes_total,
                    fmt::format("{} sequences", p.sequences));
  };
  run.announce = [&progress, &globals](std::string_view stage) {
    progress.stage(stage);
    globals.ranks->announce(stage);
  };
  run.note = [&globals](const std::string& text) { note(globals, text); };
  return run;
}

std::optional<Study> run_study(const StudyChoice& choice, const Globals& globals, bool scores,
                               bool may_sample, const Checkpoints& checkpoints) {
  check_plan_fits(choice);
  check_same_files(*globals.ranks, files_of(choice));
  Progress progress(globals);
  std::optional<EndsAtOnce> ends_at_once;
  StudyRun run = study_run(globals, progress, checkpoints);
  run.scores = scores;
  run.may_sample = may_sample;
  run.counted = [&ends_at_once] { ends_at_once.emplace(); };
  return make_study(choice, run);
}

}  // namespace sextant::cli
