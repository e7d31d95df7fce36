// SPDX-License-Identifier: Apache-2.0
// One study: a corpus, its geometry, and what was held against it, with the options that matter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geometry/candidate.h"
#include "geometry/score.h"
#include "geometry/target.h"
#include "sextant/corpus.h"

namespace sextant {

struct StudyOptions {
  Index dim = 64;
  Index heads = 8;
  std::optional<Index> train = {};  // default: the positions
  Metric metric = Metric::kHellinger;
  Index splits = 20;
  bool intervals = true;
  std::uint64_t seed = 1;
  std::vector<std::string> encodings = {};  // specs; empty: the catalogue
};

struct Study {
  std::string title;  // of the corpus, for people
  bool sample = false;
  std::optional<Index> limit;
  std::vector<std::string> notes;  // what the readers and the tokenizer had to tell
  PositionalCounts counts;
  StudyOptions options;
  Target target;
  Candidates candidates;
  Score score;
};

// Says what is being done, for progress: "distances between positions".
using Announce = std::function<void(std::string_view)>;

// Bytes of the matrices of n positions, and how many may be used: `memory`, or 80 % of what is
// available where the system says it.
double geometry_bytes(Index n, const StudyOptions& options, Index shuffles, Index threads);
std::optional<double> memory_to_use(std::optional<double> memory,
                                    const Communicator& ranks = alone());

// Throws kRefused, before anything is read, when the matrices of n positions would not fit into
// `memory` bytes (without it: 80 % of what is available, shared by the ranks of this machine).
void check_memory(Index n, const StudyOptions& options, Index shuffles, Index threads,
                  std::optional<double> memory, const Communicator& ranks = alone());

// The same for the cells of the counts, of which a corpus may have any number.
void check_memory_of_cells(const PositionalCounts& counts, std::optional<double> memory,
                           const Communicator& ranks = alone());

// Throws kMalformed when no sequence counts, saying how long they are.
void check_sequences(const PositionalCounts& counts);

// The target of counts. Throws kMalformed when no sequence was long enough, saying how long they
// are.
void make_geometry(Study& study, Index threads, const Announce& announce,
                   Communicator& ranks = alone());
// Candidates and their scores.
void make_score(Study& study, Index threads, const Announce& announce,
                Communicator& ranks = alone());

}  // namespace sextant
