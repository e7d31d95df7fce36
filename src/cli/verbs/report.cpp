// SPDX-License-Identifier: Apache-2.0
// sextant report, the main job: the geometry of a corpus, every encoding held against it, and a
// page that shows what came out.
#include <fmt/format.h>

#include <filesystem>

#include "base/check.h"
#include "base/communicator.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_files.h"
#include "cli/study_options.h"
#include "cli/study_output.h"
#include "cli/study_plan.h"
#include "report/page.h"
#include "run/document.h"
#include "run/shared_counts.h"

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
  std::optional<ReportFiles> files;  // the first rank writes
  if (globals.ranks->is_root())
    files.emplace(folder, options.study.corpus, options.force, options.resume);
  const Checkpoints checkpoints{folder / kCheckpoints, options.resume};
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
    add_report(
        document, *study, globals.threads,
        [&progress, &globals](std::string_view stage) {
          progress.stage(stage);
          globals.ranks->announce(stage);
        },
        *globals.ranks);
  }
  if (!files) return score_status(*study, globals);
  const std::vector<std::string> names = files->write(document, *study);
  remove_parts(checkpoints.folder);
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
      {"sextant report part.*.counts -o web", "what 'sextant count' counted, in place of texts"},
      {"sextant report sample.jsonl.zst --plan --bytes 1TB --positions 4096 --ranks 64",
       "what a terabyte of such text needs"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = verb.takes_ranks = true;
  verb.run = [options, &globals = verbs.globals()] {
    return options->study.plan ? show_plan(options->study, globals, "report", true)
                               : run(*options, globals);
  };
}

}  // namespace sextant::cli
