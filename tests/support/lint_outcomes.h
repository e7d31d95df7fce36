// SPDX-License-Identifier: Apache-2.0
// Lints mutated configs and counts how they end. Anything but findings or Error ends the test.
#pragma once

#include <gtest/gtest.h>

#include "sextant/error.h"
#include "support/config_mutation.h"
#include "support/lint_configs.h"

namespace sextant {

struct LintOutcomes {
  std::size_t linted = 0, refused = 0, findings = 0;
};

inline LintOutcomes lint_mutated(std::size_t count, std::uint64_t seed) {
  std::vector<JsonInput> seeds;
  for (const std::filesystem::path& path : lint_configs())
    seeds.push_back(read_json(path, std::uint64_t{1} << 20));
  ConfigMutation mutation(std::move(seeds), seed);
  LintOutcomes outcomes;
  for (std::size_t k = 0; k < count; ++k) {
    const ModelFiles files = {.name = "mutated",
                              .config = JsonFile{.name = "mutated", .value = mutation.next()}};
    try {
      const std::vector<LintFinding> findings = lint(files);
      ++outcomes.linted;
      outcomes.findings += findings.size();
    } catch (const Error& error) {
      ++outcomes.refused;
      const bool is_of_input =
          error.code() == ErrorCode::kMalformed || error.code() == ErrorCode::kRefused;
      EXPECT_TRUE(is_of_input) << error.what() << "\n" << files.config->value.dump();
      EXPECT_NE(std::string_view(error.what()).find("mutated"), std::string_view::npos)
          << error.what();
      if (testing::Test::HasFailure()) break;
    }
  }
  return outcomes;
}

}  // namespace sextant
