// SPDX-License-Identifier: Apache-2.0
// sextant report, the main job: the geometry of a corpus, every encoding held against it, and a
// page that shows what came out.
#include <fmt/format.h>

#include <filesystem>

#include "base/check.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_files.h"
#include "cli/study_options.h"
#include "cli/study_output.h"
#include "corpus/counter.h"
#include "report/page.h"
#include "run/document.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  StudyChoice study;
  std::string output = "sextant-report";
  bool force = false, resume = false;
};

int run(const Options& options, const Globals& globals) {
  const fs::path folder = options.output;
  const ReportFiles files(folder, options.study.corpus, options.force);
  const Checkpoints checkpoints{folder / ".checkpoint", options.resume};
  const std::optional<Study> study = run_study(options.study, globals, true, true, checkpoints);
  if (!study) {
    note(globals, "stopped; the same command with --resume goes on");
    return kStoppedBySignal;
  }
  Json document = new_document("report");
  {
    const EndsAtOnce ends_at_once;
    add_geometry(document, *study);
    add_score(document, *study);
    Progress progress(globals);
    add_report(document, *study, globals.threads,
               [&progress](std::string_view stage) { progress.stage(stage); });
  }
  const std::vector<std::string> names = files.write(document, *study);
  remove_checkpoints(checkpoints.folder);
  show_study(document, *study, globals);
  if (!has_report_page()) note(globals, "this build has no page: report.html is not written");
  if (!globals.json)
    print(fmt::format("\nWritten to {}: {}\n", path_text(folder), fmt::join(names, ", ")));
  return score_status(*study, globals);
}

}  // namespace

void register_report(VerbRegistry& verbs) {
  Verb& verb = verbs.add("report", "The main job: geometry, scores, verdicts and a page");
  const auto options = std::make_shared<Options>();
  add_study_options(*verb.app, options->study, true);
  add_text(*verb.app, "-o,--output", options->output, "DIR",
           "Folder of the report (default sextant-report)");
  add_text(*verb.app, "--title", options->study.title, "TEXT", "What the page calls the corpus");
  add_flag(*verb.app, "--force", options->force, "Replace an existing report");
  add_flag(*verb.app, "--resume", options->resume, "Go on from the checkpoint of a stopped run");
  verb.argument_is_optional = true;
  verb.examples = {
      {"sextant report", "the built-in sample"},
      {"sextant report reviews.tsv.gz --tokens wordpiece:vocab.txt --positions 512 -o imdb",
       "reviews by BERT's vocabulary"},
      {"sextant report 'shard-*.jsonl.zst' --windows --positions 256 -o web --resume",
       "windows of documents; go on where it was stopped"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = true;
  verb.run = [options, &globals = verbs.globals()] { return run(*options, globals); };
}

}  // namespace sextant::cli
