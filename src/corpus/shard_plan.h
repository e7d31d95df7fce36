// SPDX-License-Identifier: Apache-2.0
// What a shard reads of each input. The bytes of all files as they lie on disk form one line [0,
// S); shard i of N has [S i / N, S (i + 1) / N).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "corpus/records.h"
#include "sextant/corpus.h"

namespace sextant {

struct InputShare {
  enum class Kind {
    kNothing,
    kWhole,
    kLines,    // the lines that start in [begin, end)
    kRecords,  // the records whose number, from 0, leaves the index when divided by the count
  };
  Kind kind = Kind::kWhole;
  std::uint64_t begin = 0, end = 0;
};

// One share for each of the sizes. can_cut(i) tells whether input i may be read from a line in its
// middle on; it is asked only where the answer matters. A file that cannot be cut belongs to the
// shard that has its middle, unless it is larger than S / N: then all shards read it.
std::vector<InputShare> shares_of(const Shard& shard, std::span<const std::uint64_t> sizes,
                                  const std::function<bool(std::size_t)>& can_cut);

// Throws kUsage unless 0 <= index < count <= kMostShards.
void check_shard(const Shard& shard);

// Every count-th record of a corpus that is no file.
std::unique_ptr<RecordReader> sharded_records(std::unique_ptr<RecordReader> reader,
                                              const Shard& shard);

}  // namespace sextant
