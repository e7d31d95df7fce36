// SPDX-License-Identifier: Apache-2.0
// sextant fit: the encoding that a corpus asks for, as coordinates in a file.
#include <fmt/format.h>

#include <filesystem>

#include "base/check.h"
#include "base/communicator.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_options.h"
#include "cli/study_output.h"
#include "cli/study_plan.h"
#include "cli/table_file.h"
#include "run/document.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  StudyChoice study;
  std::string method = "classical", output;
  std::optional<Index> rank;
  bool corrected = false, force = false, accept_unconverged = false;
};

constexpr Index kMostSteps = 10000;  // of SMACOF

void show(const Options& options, const Fit& result, const Globals& globals) {
  const Index n = result.points.rows(), rank = result.points.cols();
  const Index d = options.study.dim.value_or(StudyOptions{}.dim);
  Json document = new_document("fit");
  document["rank"] = rank;
  document["positions"] = n;
  document["method"] = options.method;
  document["corrected"] = options.corrected;
  document["eigenvalues"] = result.eigenvalues;
  document["stress_raw"] = result.stress_raw;
  document["converged"] = result.converged;
  document["parameters"] = rank * (n + d);
  document["table_parameters"] = n * d;
  document["freedom"] = rank * (n + d - rank);
  document["file"] = options.output;
  if (globals.json) {
    print(to_text(document));
  } else {
    print(
        fmt::format("{}: {} positions at rank {}, raw stress {:.5f}; times a map to {} dimensions: "
                    "{} numbers against {} of a free table\nUse it as {}(file={})\n",
                    options.output, n, rank, result.stress_raw, d, rank * (n + d), n * d,
                    options.method == "smacof" ? "smacof" : "mds", options.output));
  }
}

int run(const Options& options, const Globals& globals) {
  const std::vector<std::string> methods = {"classical", "smacof"};
  const bool smacof = choice("--method", options.method, methods) == 1;
  require(smacof || !options.accept_unconverged, "--accept-unconverged",
          "goes with --method smacof; classical MDS has no steps");
  require(!options.output.empty(), "--output", "must be given, such as -o mds.safetensors");
  const TableFormat format = table_format(options.output, 2);
  check_not_an_input(options.output, options.study.corpus);
  const auto existing =
      options.force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep;
  const bool writes = globals.ranks->is_root();
  if (writes) const AtomicFile probe(options.output, existing);  // tells now whether it can
  StudyChoice plain = options.study;
  plain.no_intervals = true;  // coordinates have none
  const std::optional<Study> study = run_study(plain, globals, false, false);
  if (!study) return kStoppedBySignal;
  const Target& target = study->target;
  require(target.excluded.empty(), "--positions",
          "{} positions have too little data to be placed; use fewer positions or more text",
          target.excluded.size());
  const Fit result = fit(target, {.smacof = smacof,
                                  .corrected = options.corrected,
                                  .rank = options.rank.value_or(supported_rank(target)),
                                  .threads = globals.threads,
                                  .most_steps = kMostSteps,
                                  .ranks = globals.ranks});
  if (!result.converged && !options.accept_unconverged)
    fail(ErrorCode::kNumeric, "fit",
         "SMACOF must converge but its stress, now {:.6g}, still falls after {} steps; nothing "
         "written, unless with --accept-unconverged",
         result.stress_raw, kMostSteps);
  if (writes) {
    AtomicFile file(options.output, existing);
    write_table(
        file, format, table_of(result.points), "coordinates",
        {{"method", options.method}, {"distances", options.corrected ? "corrected" : "plain"}});
    file.commit();
  }
  show(options, result, globals);
  return 0;
}

}  // namespace

void register_fit(VerbRegistry& verbs) {
  Verb& verb = verbs.add("fit", "Fit the MDS encoding of a corpus and write its coordinates");
  const auto options = std::make_shared<Options>();
  add_study_options(*verb.app, options->study, false);
  add_choice(*verb.app, "--method", options->method, {"classical", "smacof"},
             "Classical MDS, or SMACOF started from it (default classical)");
  add_integer(*verb.app, "--rank", options->rank, 1, kMostDim,
              "Dimensions (default: as many as the data support)");
  add_flag(*verb.app, "--corrected", options->corrected,
           "Fit the distances without sampling noise; negative eigenvalues give zeros");
  add_flag(*verb.app, "--accept-unconverged", options->accept_unconverged,
           "Write what SMACOF has when its steps are used up (else exit 7)");
  add_text(*verb.app, "-o,--output", options->output, "FILE", "Write .npy, .safetensors or .csv");
  add_flag(*verb.app, "--force", options->force, "Replace an existing file");
  verb.examples = {
      {"sextant fit reviews.tsv.gz --positions 128 --rank 8 --corrected -o mds.safetensors",
       "eight dimensions without noise"},
      {"sextant fit text.txt --method smacof --rank 2 -o map.npy", "the best map in a plane"},
      {"sextant table 'mds(file=map.npy)' --positions 64 --dim 64 -o rows.npy",
       "the fitted encoding used as any other"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = verb.takes_ranks = true;
  verb.run = [options, &globals = verbs.globals()] {
    return options->study.plan ? show_plan(options->study, globals, "fit", false)
                               : run(*options, globals);
  };
}

}  // namespace sextant::cli
