// SPDX-License-Identifier: Apache-2.0
// Files of models: what they describe, and what is wrong with them.
#include <pybind11/stl.h>

#include "base/check.h"
#include "interruptible.h"
#include "model/table_file.h"
#include "module.h"
#include "run/inspect_document.h"
#include "run/limits.h"
#include "run/lint_document.h"
#include "run/provenance.h"

namespace sextant::python {
namespace {

std::string lint(const std::vector<std::string>& paths, const std::vector<std::string>& rules,
                 const std::vector<std::string>& ignored) {
  return interruptible([&](const std::atomic<bool>&) {
    const LintRun run = lint_models(paths, {.only = rules, .ignored = ignored});
    Json document = new_document("lint");
    add_lint(document, run);
    return to_text(document);
  });
}

// Throws where the one model cannot be read.
std::string lint_one(const std::string& path, const std::vector<std::string>& rules,
                     const std::vector<std::string>& ignored) {
  return interruptible([&](const std::atomic<bool>&) {
    const std::vector<std::string> paths = {path};
    const LintRun run = lint_models(paths, {.only = rules, .ignored = ignored});
    if (const LintedModel& model = run.models.front(); model.error) {
      const std::size_t colon = model.error->find(": ");
      const bool split = colon != std::string::npos;
      fail(model.code, split ? model.error->substr(0, colon) : path, "{}",
           split ? model.error->substr(colon + 2) : *model.error);
    }
    Json document = new_document("lint");
    add_lint(document, run);
    return to_text(document);
  });
}

std::string inspect(const std::string& path, const std::string& engine,
                    std::optional<Index> length) {
  require_range("length", length, 1, kMostLength);
  const bool table = names_table(path);
  require(!table || (engine.empty() && !length), "inspect",
          "engine and length go with a model, not with a table");
  return interruptible([&](const std::atomic<bool>&) {
    if (!table) return to_text(model_document(read_model(path, engine, length.value_or(0))));
    LearnedTable learned = read_learned_table(path);
    const TableFacts facts = table_facts(learned);
    return to_text(learned_table_document(learned, facts));
  });
}

}  // namespace

void bind_model(pybind11::module_& module) {
  module.def("lint", lint);
  module.def("lint_one", lint_one);
  module.def("inspect", inspect);
}

}  // namespace sextant::python
