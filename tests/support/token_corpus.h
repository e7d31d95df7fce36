// SPDX-License-Identifier: Apache-2.0
// A corpus in memory from its sequences.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "sextant/task.h"

namespace sextant {

// Ids of words below `words`; mask, pad and cls come after them.
inline std::shared_ptr<const TokenCorpus> corpus_of(
    const std::vector<std::vector<std::int32_t>>& sequences, std::int32_t words,
    std::vector<std::int32_t> labels = {}) {
  TokenCorpus corpus{.tokens = {},
                     .starts = {0},
                     .labels = std::move(labels),
                     .label_names = {},
                     .vocabulary = words + 3,
                     .mask = words,
                     .pad = words + 1,
                     .cls = words + 2,
                     .hash = {},
                     .source = "memory"};
  for (const std::vector<std::int32_t>& each : sequences) {
    corpus.tokens.insert(corpus.tokens.end(), each.begin(), each.end());
    corpus.starts.push_back(corpus.tokens.size());
  }
  for (const std::int32_t label : corpus.labels)
    while (label >= static_cast<std::int32_t>(corpus.label_names.size()))
      corpus.label_names.push_back(std::to_string(corpus.label_names.size()));
  return std::make_shared<const TokenCorpus>(std::move(corpus));
}

// Of the loss, or of accuracy; a failure where there is none.
inline Baseline baseline_of(const Task& task, Index length, std::string_view name,
                            bool of_accuracy = false) {
  for (const Baseline& each : task.baselines(length))
    if (each.name == name && each.of_accuracy == of_accuracy) return each;
  ADD_FAILURE() << "no baseline " << name;
  return {};
}

}  // namespace sextant
