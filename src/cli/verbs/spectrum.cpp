// SPDX-License-Identifier: Apache-2.0
// sextant spectrum: the leading part of the geometry of contexts too long for a matrix of all
// pairs.
#include <fmt/format.h>

#include "base/check.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/spectrum_text.h"
#include "cli/study_options.h"
#include "cli/study_plan.h"
#include "cli/table_file.h"
#include "geometry/row_spectrum.h"
#include "run/handshake.h"
#include "run/provenance.h"
#include "run/spectrum_study.h"
#include "run/study_files.h"

namespace sextant::cli {
namespace {

struct Options {
  SpectrumChoice choice;
  std::string output;
  bool force = false;
};

std::optional<SpectrumStudy> study_of(const SpectrumChoice& choice, const Globals& globals) {
  StudyChoice with_tables = choice.study;
  with_tables.encodings = choice.stress;
  check_same_files(*globals.ranks, files_of(with_tables));
  Progress progress(globals);
  std::optional<EndsAtOnce> ends_at_once;
  StudyRun run = study_run(globals, progress, {});
  run.counted = [&ends_at_once] { ends_at_once.emplace(); };
  return make_spectrum(choice, run);
}

// The coordinates of positions that no sequence reaches are not in the file: its rows are the
// positions that have a law, in order.
void write_coordinates(const Options& options, const SpectrumStudy& study,
                       AtomicFile::Existing existing) {
  AtomicFile file(options.output, existing);
  write_table(file, table_format(options.output, 2), table_of(coordinates(study.spectrum)),
              "coordinates", {{"method", "classical"}, {"distances", "plain"}});
  file.commit();
}

// 0, or the status of the first encoding that could not be compared.
int status_of(const SpectrumStudy& study, const Globals& globals) {
  for (const StressRow& row : study.stress) {
    if (row.error.empty()) continue;
    note(globals, fmt::format("{} has no stress: {}", row.encoding, row.error));
    return exit_status(row.error_code);
  }
  return 0;
}

int run(const Options& options, const Globals& globals) {
  const SpectrumChoice& choice = options.choice;
  check_plan_fits(choice.study);
  require(!choice.pairs || !choice.stress.empty(), "--pairs", "goes with --stress");
  if (!choice.stress.empty()) split_specs(choice.stress, "--stress");  // names the option
  const auto existing =
      options.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep;
  const bool writes = !options.output.empty() && globals.ranks->is_root();
  if (!options.output.empty()) {
    table_format(options.output, 2);
    check_not_an_input(options.output, choice.study.corpus);
  }
  if (writes) const AtomicFile probe(options.output, existing);  // tells now whether it can
  const std::optional<SpectrumStudy> study = study_of(choice, globals);
  if (!study) return kStoppedBySignal;
  if (writes) write_coordinates(options, *study, existing);
  for (const std::string& each : study->corpus.notes) note(globals, each);
  if (study->few > 0)
    note(globals, fmt::format("{} positions have fewer than 200 sequences: their distances are "
                              "mostly noise",
                              study->few));
  if (globals.json) {
    Json document = new_document("spectrum");
    add_spectrum(document, *study);
    if (!options.output.empty()) document["file"] = options.output;
    print(to_text(document));
  } else {
    print(spectrum_text(*study, Style(globals.color)));
  }
  return status_of(*study, globals);
}

}  // namespace

void register_spectrum(VerbRegistry& verbs) {
  Verb& verb =
      verbs.add("spectrum", "Leading eigenvalues and MDS coordinates of very long contexts");
  const auto options = std::make_shared<Options>();
  StudyChoice& study = options->choice.study;
  add_corpus_options(*verb.app, study.corpus, true);
  add_counting_options(*verb.app, study, false);
  add_plan_options(*verb.app, study);
  add_integer(*verb.app, "--top", options->choice.top, 1, kMostDim,
              "Eigenvalues, and the rank of the coordinates (default 16)");
  add_choice(*verb.app, "--solver", options->choice.solver, kSolverWords,
             "krylov: no matrix; slepc: the same over ranks; dense: all n x n (default krylov)");
  add_text(*verb.app, "--stress", options->choice.stress, "SPEC,...",
           "Encodings to hold against the distances");
  add_integer(*verb.app, "--pairs", options->choice.pairs, kLeastPairs, kLargest,
              "Pairs for --stress; with more of them a sample (default 20000000)");
  add_integer(*verb.app, "--dim", study.dim, 1, kMostDim, "Dimension of a head (default 64)");
  add_integer(*verb.app, "--heads", study.heads, 1, kMostHeads,
              "Heads; their mean counts (default 8)");
  add_integer(*verb.app, "--train", study.train, 1, kMostPositions,
              "Training length of encodings that have one (default: the positions)");
  add_text(*verb.app, "-o,--output", options->output, "FILE",
           "Write the coordinates to .npy, .safetensors or .csv");
  add_flag(*verb.app, "--force", options->force, "Replace an existing file");
  verb.examples = {
      {"sextant spectrum all.counts --top 16 -o mds.safetensors",
       "sixteen dimensions of a long context"},
      {"sextant spectrum books.txt --positions 4096 --stress rope,alibi,sinusoidal",
       "encodings against all pairs, none of them stored"},
      {"mpirun -n 4 sextant spectrum all.counts --solver slepc", "over four ranks"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = verb.takes_ranks = true;
  verb.run = [options, &globals = verbs.globals()] {
    if (!options->choice.study.plan) return run(*options, globals);
    StudyChoice planned = options->choice.study;
    planned.shuffles = 0;  // no null is made
    return show_plan(planned, globals, "spectrum", false);
  };
}

}  // namespace sextant::cli
