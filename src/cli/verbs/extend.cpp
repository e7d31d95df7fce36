// SPDX-License-Identifier: Apache-2.0
// sextant extend: rules for a longer context, compared for one model without training.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "cli/extend_text.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_options.h"
#include "cli/study_output.h"
#include "run/document.h"
#include "sextant/model.h"

namespace sextant::cli {
namespace {

struct Options {
  std::string model, method, spelling;
  std::optional<Index> to, window;
  StudyChoice study;
};

std::vector<std::string> method_names() {
  return {std::begin(kExtensionMethods), std::end(kExtensionMethods)};
}

// Stress of each ladder; maps of positions are no encodings of the catalogue.
std::optional<Json> corpus_scores(const Options& options, const ExtensionSubject& subject,
                                  const ExtensionReport& report, const Globals& globals) {
  StudyChoice choice = options.study;
  choice.dim = subject.head_dim;
  for (const ExtensionCandidate& each : report.candidates) {
    if (each.map || each.method == "present") continue;
    choice.encodings += (choice.encodings.empty() ? "" : ",") + each.ladder.spec;
  }
  const std::optional<Study> study = run_study(choice, globals, true, false);
  if (!study) return std::nullopt;
  Json document;
  add_geometry(document, *study);
  add_score(document, *study);
  return document["rows"];
}

int run(const Options& options, const Globals& globals) {
  require(!options.model.empty(), "MODEL", "must be given: config.json, a folder, or a GGUF file");
  require(options.to.has_value(), "--to", "must be given: the length wanted");
  require(!options.study.corpus.inputs.empty() || !options.study.positions, "--positions",
          "goes with --corpus");
  const ExtensionSubject subject =
      extension_subject(read_model(options.model), options.to.value_or(0));
  const ExtensionReport report = compare_extensions(subject, {.window = options.window});
  const std::string& wanted = options.method.empty() ? report.recommended : options.method;
  const auto chosen = std::ranges::find(report.candidates, wanted, &ExtensionCandidate::method);
  ConfigSpelling spelling = spelling_of(subject.keys);
  if (!options.spelling.empty())
    spelling = options.spelling == "v5" ? ConfigSpelling::kV5 : ConfigSpelling::kV4;
  Json scores;
  if (!options.study.corpus.inputs.empty()) {
    std::optional<Json> rows = corpus_scores(options, subject, report, globals);
    if (!rows) return kStoppedBySignal;
    scores = std::move(*rows);
  }
  const ExtensionAnswer answer{subject, report, *chosen, spelling, std::move(scores)};
  if (globals.json) {
    Json document = new_document("extend");
    document.update(extension_json(answer));
    print(to_text(document));
  } else {
    print(extension_text(answer, Style(globals.color)));
  }
  return 0;
}

}  // namespace

void register_extend(VerbRegistry& verbs) {
  Verb& verb = verbs.add("extend", "Compare rules for a longer context and print the config");
  const auto options = std::make_shared<Options>();
  CLI::App& app = *verb.app;
  add_text(app, "MODEL", options->model, "FILE", "A config.json, a folder with one, a GGUF file");
  add_integer(app, "--to", options->to, 1, kLongestExtension, "Length wanted, in tokens");
  add_choice(app, "--method", options->method, method_names(),
             "Whose config to print (default: the suggested one)");
  add_choice(app, "--spelling", options->spelling, {"v4", "v5"},
             "Keys of transformers 4 (rope_scaling) or 5 (rope_parameters) (default: the model's)");
  add_integer(app, "--window", options->window, 1, kLongestExtension,
              "Lags that self-extend and rerope leave as they are (default: a quarter and a half "
              "of the trained length)");
  add_texts(app, "--corpus", options->study.corpus.inputs, "FILE",
            "Texts: also score the ladders against their geometry");
  add_text_options(app, options->study.corpus);
  add_integer(app, "--positions", options->study.positions, 1, kLongestExtension,
              "Positions of the corpus that are compared (default 64)");
  verb.examples = {
      {"sextant extend llama-2-7b/ --to 32768", "all rules side by side, and the suggested config"},
      {"sextant extend config.json --to 131072 --method yarn --spelling v5",
       "the keys of YaRN for transformers 5"},
      {"sextant extend model/ --to 16384 --method self-extend --window 1024",
       "positions shared in groups, without a new ladder"},
      {"sextant extend model/ --to 16384 --corpus reviews.tsv --json",
       "with the stress of each ladder, for programs"},
  };
  verb.takes_json = verb.takes_threads = verb.takes_seed = true;
  verb.run = [options, &globals = verbs.globals()] { return run(*options, globals); };
}

}  // namespace sextant::cli
