// SPDX-License-Identifier: Apache-2.0
// sextant score: how well encodings match the positional geometry of a corpus.
#include "cli/interrupt.h"
#include "cli/study_options.h"
#include "cli/study_output.h"
#include "cli/study_plan.h"
#include "run/document.h"

namespace sextant::cli {
namespace {

int run(const StudyChoice& choice, const Globals& globals) {
  const std::optional<Study> study = run_study(choice, globals, true, false);
  if (!study) return kStoppedBySignal;
  Json document = new_document("score");
  add_geometry(document, *study);
  add_score(document, *study);
  show_study(document, *study, globals);
  return score_status(*study, globals);
}

}  // namespace

void register_score(VerbRegistry& verbs) {
  Verb& verb = verbs.add("score", "Score encodings against the geometry of a corpus");
  const auto choice = std::make_shared<StudyChoice>();
  add_study_options(*verb.app, *choice, true);
  verb.examples = {
      {"sextant score reviews.tsv.gz --positions 128", "every encoding of the catalogue"},
      {"sextant score text.jsonl --encodings 'rope(base=500000),alibi,rope+alibi'", "these three"},
      {"sextant score text.txt --encodings 'mds(rank=4),smacof(rank=4)' --json",
       "fitted coordinates, for programs"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = verb.takes_ranks = true;
  verb.run = [choice, &globals = verbs.globals()] {
    return choice->plan ? show_plan(*choice, globals, "score", false) : run(*choice, globals);
  };
}

}  // namespace sextant::cli
