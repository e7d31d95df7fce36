// SPDX-License-Identifier: Apache-2.0
#include "run/inspect_document.h"

#include "base/check.h"
#include "model/model_files.h"
#include "run/provenance.h"
#include "run/table_document.h"
#include "run/word_choice.h"

namespace sextant {

ModelReading read_model(const std::string& path, const std::string& engine, Index length) {
  const Model model = describe(open_model(path));
  const Engine own = model.gguf ? Engine::kLlamaCpp : Engine::kHuggingFace;
  const Engine chosen = engine.empty() ? own : kEngines[choice("--engine", engine, kEngineWords)];
  ModelReading reading = read_positions(model, chosen, length);
  for (const GroupReading& group : reading.groups)
    if (group.error.empty()) return reading;
  fail(ErrorCode::kUsage, "inspect", "{}", reading.groups.front().error);
}

Json model_document(const ModelReading& reading) {
  Json document = new_document("inspect");
  document["file"] = reading.model.source;
  add_model(document, reading);
  return document;
}

Json learned_table_document(const LearnedTable& table, const TableFacts& facts) {
  Json document = new_document("inspect");
  document["table"] = table_json(table, facts, TableRows::kAll);
  return document;
}

}  // namespace sextant
