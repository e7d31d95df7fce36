// SPDX-License-Identifier: Apache-2.0
// sextant diff: where two models, or two engines with one model, turn positions into different
// logits.
#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "cli/diff_text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_output.h"
#include "sextant/model.h"

namespace sextant::cli {
namespace {

constexpr int kDifferent = 1;

struct Options {
  std::vector<std::string> models;
  std::string engines;
  std::optional<Index> length;
};

std::vector<Engine> chosen_engines(const std::string& text) {
  std::vector<std::string> names;
  for (const Engine engine : kEngines) names.emplace_back(name(engine));
  std::vector<Engine> chosen;
  if (text.empty()) return chosen;
  for (const std::string_view word : split(text, ','))
    chosen.push_back(kEngines[choice("--engines", word, names)]);
  return chosen;
}

int show(const std::vector<std::pair<ModelSide, ModelSide>>& pairs, Index length,
         const Globals& globals) {
  bool equal = true;
  std::string text;
  Json document = new_document("diff");
  document["comparisons"] = Json::array();
  const Style style(globals.color);
  for (const auto& [first, second] : pairs) {
    const ModelComparison found = compare_models(first, second, length);
    equal = equal && found.equal();
    document["comparisons"].push_back(comparison_json(found, first, second));
    text += (text.empty() ? "" : "\n") + comparison_text(found, first, second, style);
  }
  document["equal"] = equal;
  print(globals.json ? to_text(document) : text);
  return equal ? 0 : kDifferent;
}

int run(const Options& options, const Globals& globals) {
  const std::vector<Engine> engines = chosen_engines(options.engines);
  require(options.models.size() == 1 || options.models.size() == 2, "diff",
          "takes two models, or one model and --engines A,B, but got {} models",
          options.models.size());
  std::vector<Model> models;
  models.reserve(options.models.size());
  for (const std::string& path : options.models) models.push_back(read_model(path));
  std::vector<std::pair<ModelSide, ModelSide>> pairs;
  if (models.size() == 1) {
    require(engines.size() >= 2, "--engines", "must name two engines or more for one model");
    for (std::size_t i = 1; i < engines.size(); ++i)
      pairs.push_back({{models[0], engines[0]}, {models[0], engines[i]}});
  } else {
    require(engines.size() <= 2, "--engines",
            "must name one engine for both models, or one for each, but got {}", engines.size());
    const Engine first = engines.empty() ? Engine::kHuggingFace : engines.front();
    pairs.push_back({{models[0], first}, {models[1], engines.empty() ? first : engines.back()}});
  }
  return show(pairs, options.length.value_or(0), globals);
}

}  // namespace

void register_diff(VerbRegistry& verbs) {
  Verb& verb = verbs.add("diff", "Compare how two models or engines turn positions into logits");
  const auto options = std::make_shared<Options>();
  CLI::App& app = *verb.app;
  add_texts(app, "MODEL", options->models, "FILE",
            "Two models, or one with --engines: a config.json, a folder with one, a GGUF file");
  add_text(app, "--engines", options->engines, "A,B",
           "Whose rules: hf, llama.cpp, vllm. For one model two or more, the first against each "
           "other one; for two models one for both, or one for each (default hf)");
  add_integer(app, "--length", options->length, 1, kLongestHorizon,
              "Length of the sequences, which matters to dynamic and longrope, and how far angles "
              "are compared (default: the longer context)");
  verb.examples = {
      {"sextant diff base/ finetuned/", "has somebody changed the positions?"},
      {"sextant diff config.json model.gguf --engines hf,llama.cpp",
       "is the converted file the same model?"},
      {"sextant diff gpt-oss/ --engines hf,llama.cpp,vllm", "what engines make of one config"},
      {"sextant diff phi/ other/ --length 8192 --json", "numbers for one length, for programs"},
  };
  verb.takes_json = true;
  verb.run = [options, &globals = verbs.globals()] { return run(*options, globals); };
}

}  // namespace sextant::cli
