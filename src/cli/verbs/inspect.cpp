// SPDX-License-Identifier: Apache-2.0
// sextant inspect: which encoding the files of a model describe, and what an engine makes of it.
#include "base/check.h"
#include "cli/inspect_text.h"
#include "cli/options.h"
#include "cli/study_output.h"
#include "cli/table_text.h"
#include "run/inspect_document.h"
#include "run/model_page.h"

namespace sextant::cli {
namespace {

struct Options {
  std::string model, engine;
  std::optional<Index> length;
  PageChoice page;
};

int run(const Options& options, const CLI::App& app, const Globals& globals) {
  if (names_table(options.model)) {
    require(!given(app, "--engine") && !given(app, "--length"), "inspect",
            "--engine and --length go with a model, not with a table");
    return inspect_table(options.model, globals, options.page);
  }
  check_page(options.page);
  const ModelReading reading =
      read_model(options.model, options.engine, options.length.value_or(0));
  print(globals.json ? to_text(model_document(reading))
                     : model_text(reading, Style(globals.color)));
  if (!options.page.file.empty()) {
    Json page = new_document("inspect");
    page["model"] = model_page(reading);
    write_model_page(options.page, page, globals);
  }
  return 0;
}

}  // namespace

void register_inspect(VerbRegistry& verbs) {
  Verb& verb = verbs.add("inspect", "Say which encoding a model uses and what an engine does");
  const auto options = std::make_shared<Options>();
  CLI::App& app = *verb.app;
  add_text(app, "MODEL", options->model, "FILE",
           "A config.json, a folder with one, a .gguf file, or a learned table: FILE.npy, "
           "FILE.safetensors#tensor, FILE.gguf#tensor, FOLDER#tensor");
  add_choice(app, "--engine", options->engine, kEngineWords,
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
