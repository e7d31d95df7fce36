// SPDX-License-Identifier: Apache-2.0
// sextant geometry: how the token distributions of a corpus differ between positions.
#include "base/check.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_options.h"
#include "cli/study_output.h"
#include "cli/study_plan.h"
#include "run/document.h"

namespace sextant::cli {
namespace {

struct Options {
  StudyChoice study;
  std::vector<std::string> against;
};

int run(const Options& options, const Globals& globals) {
  const std::optional<Study> study = run_study(options.study, globals, false, false);
  if (!study) return kStoppedBySignal;
  Json document = new_document("geometry");
  add_geometry(document, *study);
  if (!options.against.empty()) {
    StudyChoice other = options.study;
    other.corpus.inputs = options.against;
    const std::optional<Study> second = run_study(other, globals, false, false);
    if (!second) return kStoppedBySignal;
    add_comparison(document, *study, *second);
  }
  show_study(document, *study, globals);
  return 0;
}

}  // namespace

void register_geometry(VerbRegistry& verbs) {
  Verb& verb = verbs.add("geometry", "Measure the positional geometry of a corpus");
  const auto options = std::make_shared<Options>();
  add_study_options(*verb.app, options->study, false);
  add_texts(*verb.app, "--against", options->against, "FILE",
            "Another corpus: how far its geometry is from this one, beside the noise");
  verb.examples = {
      {"sextant geometry reviews.tsv.gz --positions 128", "distances of the first 128 words"},
      {"sextant geometry a.txt --against b.txt", "do two corpora have one geometry?"},
      {"sextant geometry --distributions p.npy --json", "laws that a model gives, [n, types]"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = verb.takes_ranks = true;
  verb.run = [options, &globals = verbs.globals()] {
    return options->study.plan ? show_plan(options->study, globals, "geometry", false)
                               : run(*options, globals);
  };
}

}  // namespace sextant::cli
