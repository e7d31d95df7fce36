// SPDX-License-Identifier: Apache-2.0
// `inspect` of a model or of a learned table as one JSON document: docs/models.md.
#pragma once

#include <string>
#include <vector>

#include "io/json.h"
#include "model/table_facts.h"
#include "run/model_document.h"

namespace sextant {

inline const std::vector<std::string> kEngineWords = {"hf", "llama.cpp", "vllm"};
inline constexpr Index kMostLength = Index{1} << 39;

// The model at `path` under an engine of kEngineWords; "": the one that reads this kind of file.
// `length` 0: the model's longest. Throws kUsage where the engine can evaluate none of its layers.
ModelReading read_model(const std::string& path, const std::string& engine, Index length);
Json model_document(const ModelReading& reading);

Json learned_table_document(const LearnedTable& table, const TableFacts& facts);

}  // namespace sextant
