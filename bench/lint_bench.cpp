// SPDX-License-Identifier: Apache-2.0
// How long does the linter take for one config?
//
// From the parsed JSON to the findings, with all rules: the part that a hook runs for each file.
// A model with a long context and frequencies to search, and one of each other kind.
#include <benchmark/benchmark.h>

#include <string>

#include "io/json_input.h"
#include "model/lint.h"

namespace {

using sextant::JsonFile;
using sextant::ModelFiles;

constexpr char kLongContext[] = R"({"model_type": "llama", "hidden_size": 16384,
  "num_hidden_layers": 126, "num_attention_heads": 128, "num_key_value_heads": 8,
  "max_position_embeddings": 1048576, "rope_theta": 500000.0, "torch_dtype": "bfloat16",
  "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                   "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})";
constexpr char kYarn[] = R"({"model_type": "qwen2", "hidden_size": 3584, "num_hidden_layers": 28,
  "num_attention_heads": 28, "num_key_value_heads": 4, "max_position_embeddings": 131072,
  "rope_theta": 1000000.0, "torch_dtype": "bfloat16", "rope_scaling": {"rope_type": "yarn",
  "factor": 4.0, "original_max_position_embeddings": 32768}})";
constexpr char kTwoKinds[] = R"({"model_type": "gemma3_text", "hidden_size": 2560,
  "num_hidden_layers": 34, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
  "max_position_embeddings": 131072, "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0,
  "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "torch_dtype": "bfloat16"})";
constexpr char kAlibi[] = R"({"model_type": "bloom", "hidden_size": 14336, "n_layer": 70,
  "n_head": 112, "seq_length": 2048, "torch_dtype": "float16"})";

void lint_config(benchmark::State& state, const char* config) {
  const ModelFiles files = {
      .name = "config.json",
      .config =
          JsonFile{.name = "config.json", .value = sextant::parse_json(config, "config.json")}};
  if (sextant::lint(files).empty()) {
    state.SkipWithError("nothing found: the notes at least must be there");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(sextant::lint(files));
}

}  // namespace

BENCHMARK_CAPTURE(lint_config, llama3_long, kLongContext)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lint_config, yarn, kYarn)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lint_config, two_kinds, kTwoKinds)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(lint_config, alibi, kAlibi)->Unit(benchmark::kMillisecond);
BENCHMARK_MAIN();
