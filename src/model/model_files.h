// SPDX-License-Identifier: Apache-2.0
// The files of a model that speak of positions, each read once. The linter compares them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/gguf.h"
#include "io/json_input.h"
#include "io/safetensors_index.h"
#include "sextant/model.h"

namespace sextant {

struct JsonFile {
  std::string name = {};  // as messages print it
  JsonInput value = {};
};

// From a folder all of them, from a file itself and, for config.json, the files beside it.
struct ModelFiles {
  std::filesystem::path path = {};
  std::string name = {};
  std::optional<JsonFile> config = {};            // config.json
  std::optional<JsonFile> tokenizer_config = {};  // tokenizer_config.json
  std::optional<GgufFile> gguf = {};              // the only one of a folder, or the file itself
  std::filesystem::path gguf_path = {};           // of gguf
  std::vector<TensorLocation> tensors = {};       // of .safetensors, sharded or not
  std::optional<std::filesystem::path> vocabulary = {};  // vocab.txt or vocab.json
};

// Throws like read_model(), and kUsage for a folder without config.json and without a GGUF file.
// With `alone`, files beside a config.json are not looked at.
ModelFiles open_model(const std::filesystem::path& path, bool alone = false);

Model describe_config(const JsonFile& config);
// With the path of the file, divisors and factors are read from its tensors.
Model describe_gguf(const GgufFile& gguf, const std::string& name,
                    const std::filesystem::path& path = {});
// The config where there is one, else the GGUF file; table_rows from the tensors.
Model describe(const ModelFiles& files);

}  // namespace sextant
