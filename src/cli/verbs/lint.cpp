// SPDX-License-Identifier: Apache-2.0
// sextant lint: positional mistakes in the files of models. Made for CI: one error line per file
// that cannot be read, the others are linted all the same.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/check.h"
#include "base/text.h"
#include "cli/lint_text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_output.h"
#include "io/atomic_file.h"

namespace sextant::cli {
namespace {

struct Options {
  std::vector<std::string> models;
  std::string rules, ignored, explain;
  std::string fail_on = "error", format = "table";
  std::string output, baseline, written_baseline;
  bool list = false, notes = false, force = false;
};

const std::vector<std::string> kFailOn = {"error", "warning", "note", "never"};
const std::vector<std::string> kFormats = {"table", "json", "sarif"};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  if (list.empty()) return words;
  for (const std::string_view word : split(list, ',')) words.emplace_back(word);
  return words;
}

std::optional<Severity> fail_on(const Options& options) {
  constexpr std::optional<Severity> kSeverities[] = {Severity::kError, Severity::kWarning,
                                                     Severity::kNote, std::nullopt};
  return kSeverities[choice("--fail-on", options.fail_on, kFailOn)];
}

void write_output(const std::string& path, const std::string& text, bool force) {
  AtomicFile file(path, force ? AtomicFile::Existing::kReplace : AtomicFile::Existing::kKeep);
  file.write(text);
  file.commit();
}

int show_rules(const Options& options, const Globals& globals) {
  require(options.models.empty(), options.list ? "--list" : "--explain",
          "stands alone: nothing is linted");
  const Style style(globals.color);
  if (!options.list) {
    const LintRule& rule = lint_rules().rule(options.explain);
    print(globals.json ? to_text(lint_rule_json(rule)) : rule_page(rule, style));
    return 0;
  }
  if (!globals.json) {
    print(rule_list_text(lint_rules().rules(), style));
    return 0;
  }
  Json document = new_document("lint");
  document["rules"] = Json::array();
  for (const LintRule& rule : lint_rules().rules())
    document["rules"].push_back(lint_rule_json(rule));
  print(to_text(document));
  return 0;
}

std::string document_text(const LintRun& run, const Options& options, const Globals& globals) {
  if (options.format == "sarif") return to_text(sarif_document(run, SEXTANT_VERSION));
  if (globals.json || options.format == "json") {
    Json document = new_document("lint");
    add_lint(document, run);
    return to_text(document);
  }
  const Style style(options.output.empty() ? globals.color : Color::kNever);
  return lint_text(run, options.notes ? NotesShown::kAll : NotesShown::kCounted, style);
}

// One line each, as the program ends with for a single file.
void report_unread(const LintRun& run) {
  for (const LintedModel& model : run.models) {
    if (!model.error) continue;
    std::string line = fmt::format("sextant: error: {}", *model.error);
    std::ranges::replace_if(
        line, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    fmt::print(stderr, "{}\n", line);
  }
}

int run(const Options& options, const Globals& globals) {
  choice("--format", options.format, kFormats);
  const std::optional<Severity> gravest = fail_on(options);
  require(!globals.json || options.format != "sarif", "--json", "must not go with --format sarif");
  if (options.list || !options.explain.empty()) return show_rules(options, globals);
  require(!options.models.empty(), "MODEL", "must be given: config.json, a folder or a GGUF file");
  std::vector<AcceptedFinding> baseline;
  if (!options.baseline.empty()) baseline = read_baseline(options.baseline);
  const LintRun result = lint_models(
      options.models, {.only = words_of(options.rules), .ignored = words_of(options.ignored)},
      baseline);
  if (!options.written_baseline.empty())
    write_output(options.written_baseline, to_text(baseline_json(result)), options.force);
  const std::string text = document_text(result, options, globals);
  if (options.output.empty()) {
    print(text);
  } else {
    write_output(options.output, text, options.force);
  }
  report_unread(result);
  // Who writes a baseline accepts what is there.
  const int status = lint_status(result, gravest);
  return status == 1 && !options.written_baseline.empty() ? 0 : status;
}

}  // namespace

void register_lint(VerbRegistry& verbs) {
  Verb& verb = verbs.add("lint", "Find positional mistakes in the files of models");
  const auto options = std::make_shared<Options>();
  CLI::App& app = *verb.app;
  add_texts(app, "MODEL", options->models, "FILE",
            "A config.json, a folder with one, or a GGUF file; files beside a config.json are "
            "compared with it");
  add_text(app, "--rule", options->rules, "RULE,...", "Only these rules, by id or name");
  add_text(app, "--ignore", options->ignored, "RULE,...", "All rules but these");
  add_choice(app, "--fail-on", options->fail_on, kFailOn,
             "Exit with 1 for findings of this severity and above (default error)");
  add_choice(app, "--format", options->format, kFormats,
             "What is written: text, one JSON document (as --json does), or SARIF 2.1.0 for code "
             "scanning (default table)");
  add_flag(app, "--notes", options->notes,
           "Show notes in full; without it the table counts them, as they ask for no change");
  add_text(app, "-o,--output", options->output, "FILE", "Write there in place of stdout");
  add_text(app, "--baseline", options->baseline, "FILE",
           "Leave out the findings that this file accepts; entries that match nothing are named");
  add_text(app, "--write-baseline", options->written_baseline, "FILE",
           "Accept the findings of this run: write them there and exit with 0");
  add_flag(app, "--force", options->force, "Replace existing files");
  add_flag(app, "--list", options->list, "Name the rules with their severities; lint nothing");
  add_text(app, "--explain", options->explain, "RULE",
           "What a rule finds and why, with an example; lint nothing");
  verb.argument_is_optional = true;
  verb.examples = {
      {"sextant lint config.json", "errors and warnings of one model, notes counted"},
      {"sextant lint models/* --fail-on warning --notes", "many models, everything that is found"},
      {"sextant lint --explain R08", "what a rule finds and how to mend it"},
      {"sextant lint . --format sarif -o lint.sarif", "for code scanning in CI"},
      {"sextant lint . --write-baseline accepted.json", "accept what is there today"},
  };
  verb.takes_json = true;
  verb.run = [options, &globals = verbs.globals()] { return run(*options, globals); };
}

}  // namespace sextant::cli
