// SPDX-License-Identifier: Apache-2.0
// sextant inspect: which encoding the files of a model describe, and what an engine makes of it.
#include "base/check.h"
#include "cli/inspect_text.h"
#include "cli/options.h"
#include "cli/study_output.h"
#include "cli/table_text.h"
#include "model/model_files.h"
#include "run/model_document.h"
#include "run/model_page.h"

namespace sextant::cli {
namespace {

const std::vector<std::string> kEngineNames = {"hf", "llama.cpp", "vllm"};
constexpr Index kMostLength = Index{1} << 39;

struct Options {
  std::string model, engine;
  std::optional<Index> length;
  PageChoice page;
};

// Without a choice: the engine that reads this kind of file.
Engine engine_for(const Model& model, const std::string& chosen) {
  if (chosen.empty()) return model.gguf ? Engine::kLlamaCpp : Engine::kHuggingFace;
  return kEngines[choice("--engine", chosen, kEngineNames)];
}

// 0, or the exit status of a model none of whose layers the engine can evaluate.
int status_of(const ModelReading& reading) {
  for (const GroupReading& group : reading.groups)
    if (group.error.empty()) return 0;
  fail(ErrorCode::kUsage, "inspect", "{}", reading.groups.front().error);
}

int run(const Options& options, const CLI::App& app, const Globals& globals) {
  if (names_table(options.model)) {
    require(!given(app, "--engine") && !given(app, "--length"), "inspect",
            "--engine and --length go with a model, not with a table");
    return inspect_table(options.model, globals, options.page);
  }
  check_page(options.page);
  const Model model = describe(open_model(options.model));
  const ModelReading reading =
      read_positions(model, engine_for(model, options.engine), options.length.value_or(0));
  const int status = status_of(reading);
  Json document = new_document("inspect");
  document["file"] = model.source;
  add_model(document, reading);
  print(globals.json ? to_text(document) : model_text(reading, Style(globals.color)));
  if (!options.page.file.empty()) {
    Json page = new_document("inspect");
    page["model"] = model_page(reading);
    write_model_page(options.page, page, globals);
  }
  return status;
}

}  // namespace

void register_inspect(VerbRegistry& verbs) {
  Verb& verb = verbs.add("inspect", "Say which encoding a model uses and what an engine does");
  const auto options = std::make_shared<Options>();
  CLI::App& app = *verb.app;
  add_text(app, "MODEL", options->model, "FILE",
           "A config.json, a folder with one, a .gguf file, or a learned table: FILE.npy, "
           "FILE.safetensors#tensor, FILE.gguf#tensor, FOLDER#tensor");
  add_choice(app, "--engine", options->engine, kEngineNames,
             "Whose rules fill the gaps (default hf: transformers; llama.cpp for a .gguf file)");
  add_integer(app, "--length", options->length, 1, kMostLength,
              "Tokens of the sequence, for dynamic and longrope (default: the model's longest)");
  add_page_options(app, options->page);
  verb.examples = {
      {"sextant inspect Llama-3.1-8B/", "encoding, frequencies, layers, keys read and ignored"},
      {"sextant inspect config.json --engine llama.cpp", "the same file under other rules"},
      {"sextant inspect model.gguf --json", "every frequency, for programs"},
      {"sextant inspect phi-3/ --length 4096", "LongRoPE below its trained length"},
      {"sextant inspect gpt2/model.safetensors#wpe.weight",
       "a learned table: norms, neighbours, untrained rows"},
      {"sextant inspect Llama-3.1-8B/ --report llama.html", "the same with charts"},
  };
  verb.takes_json = true;
  verb.run = [options, &app, &globals = verbs.globals()] { return run(*options, app, globals); };
}

}  // namespace sextant::cli
