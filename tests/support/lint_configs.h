// SPDX-License-Identifier: Apache-2.0
// The configs of tests/data/configs. good_*.json are modelled on published families; rNN_*.json
// have one fault, that of rule RNN.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "model/lint.h"

namespace sextant {

inline std::vector<std::filesystem::path> lint_configs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(SEXTANT_SOURCE_DIR "/tests/data/configs"))
    paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

// "R08" of r08_factor_below_one.json; empty for a good one.
inline std::string expected_rule(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  return stem.starts_with("good_") ? "" : "R" + stem.substr(1, 2);
}

// "R08 /rope_scaling/factor: message" of findings at least as grave, for messages of tests.
inline std::string findings_text(const std::vector<LintFinding>& findings, Severity least) {
  std::string text;
  for (const LintFinding& finding : findings) {
    if (finding.severity >= least)
      text += finding.rule + " " + finding.where + ": " + finding.message + "\n";
  }
  return text;
}

}  // namespace sextant
