// SPDX-License-Identifier: Apache-2.0
// The linter on one config: what a hook runs for each file.
#include "model/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "io/json_input.h"
#include "measure/bench_case.h"
#include "measure/plain_loops.h"

namespace sextant {
namespace {

// A long context and frequencies to search. 16384 = 2^14 values of all heads at position 2^17 reach
// offset 2^31, and 257 is the first whole number that bfloat16 does not have.
constexpr std::string_view kConfig = R"({"model_type": "llama", "hidden_size": 16384,
  "num_hidden_layers": 126, "num_attention_heads": 128, "num_key_value_heads": 8,
  "max_position_embeddings": 1048576, "rope_theta": 500000.0, "torch_dtype": "bfloat16",
  "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                   "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})";

bool has(std::span<const LintFinding> findings, std::string_view rule, std::string_view name,
         double value) {
  return std::ranges::any_of(findings, [&](const LintFinding& finding) {
    return finding.rule == rule &&
           std::ranges::find(finding.values, std::pair{std::string(name), value}) !=
               finding.values.end();
  });
}

BenchWork lint_work(const BenchSize& size) {
  const auto findings = std::make_shared<std::vector<LintFinding>>();
  return {
      .size = fmt::format("one config.json of {} bytes, all rules", kConfig.size()),
      .amount = 1.0,
      .unit = "configs",
      .run =
          [findings] {
            const ModelFiles files = {
                .name = "config.json",
                .config =
                    JsonFile{.name = "config.json", .value = parse_json(kConfig, "config.json")}};
            *findings = lint(files);
          },
      .fault = [findings]() -> std::string {
        if (!has(*findings, "R43", "position", 131072.0)) return "R43 misses position 131072";
        if (!has(*findings, "R34", "first_position", 257.0)) return "R34 misses position 257";
        return {};
      },
      .plain = pass_over(std::as_bytes(std::span(kConfig.data(), kConfig.size())), size.threads)};
}

}  // namespace

void register_lint(BenchRegistry& cases) {
  cases.add({.name = "lint-config",
             .measures = "a config.json of a long context, parsed and linted",
             .bytes = [](const BenchSize&) { return 1e7; },
             .prepare = lint_work});
}

}  // namespace sextant
