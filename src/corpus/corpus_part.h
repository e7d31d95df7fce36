// SPDX-License-Identifier: Apache-2.0
// Which corpus, and which part of it, so that parts of one corpus know each other without paths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sextant/corpus.h"

namespace sextant {

struct CountedInput {
  std::uint64_t size = 0;         // bytes as they lie on disk; 0: unknown
  std::uint64_t fingerprint = 0;  // sampled_hash() of the file among all inputs
  std::int64_t records = 0;       // in this part
};

struct CorpusPart {
  std::string built_in = {};              // what a report calls a corpus that is no file
  std::vector<std::string> reading = {};  // options that change the records, as one types them
  std::optional<Index> limit = {};
  std::vector<CountedInput> inputs = {};
  Index shards = 1;                  // the corpus was cut into so many
  std::vector<Index> present = {0};  // those that are here, ascending
};

}  // namespace sextant
