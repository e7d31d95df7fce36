// SPDX-License-Identifier: Apache-2.0
// Positional counts as one binary file: what a run resumes from, what shards exchange, and all that
// a report needs of a corpus.
//
// Layout: magic, schema, the fields in the order of write_fields() (little-endian, sizes before
// contents), then a trailer of the file's length and a checksum of everything before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/corpus_part.h"
#include "corpus/read_log.h"
#include "io/atomic_file.h"
#include "sextant/corpus.h"

namespace sextant {

struct CountsFile {
  PositionalCounts counts = {};
  // Of a growing vocabulary, in the order of their ids: the order of their bytes once finished.
  std::vector<std::string> tokens = {};
  CorpusPart part = {};
  ReadLog log = {};
  std::vector<std::string> notes = {};  // of the tokenizer
  std::uint64_t generation = 0;         // of a checkpoint: the newest has the largest
  bool finished = false;                // all records of the part are counted and ids are final
};

// REQUIRES: cells flushed. Throws kUnwritable.
void write_counts(const std::filesystem::path& path, const CountsFile& file,
                  AtomicFile::Existing existing);
std::vector<std::byte> counts_bytes(const CountsFile& file);

// Throws kUnreadable, and kMalformed "FILE: offset N: ..." for any byte that differs from what was
// written. No size is believed before it is compared with the bytes that are left.
CountsFile read_counts(const std::filesystem::path& path);
CountsFile counts_of_bytes(std::span<const std::byte> bytes, std::string_view name);

// True when the file begins as counts do.
bool has_counts(const std::filesystem::path& path);

// For readers that hold no cells (corpus/counts_stream.h): all fields before the cells, and the
// tokens, which must rise and have room for the last token counted where the count is finished.
class FieldReader;
inline constexpr std::string_view kCountsMagic = "SXCOUNT\n";
CountsFile read_counts_head(FieldReader& in);
void check_counts_tokens(FieldReader& in, bool finished, std::optional<TokenId> last);
inline constexpr TokenId kSpecialIds = 3;  // behind a vocabulary: PositionalCounts

// Adds other shards of the same corpus: commutative, associative and exact. `name` is what messages
// call `other`. Throws kUsage, with what differs, when they do not belong together or have a shard
// in common; kMalformed when one is not finished or both leave out too many bad records.
void merge(CountsFile& into, CountsFile other, std::string_view name = "counts");

// The sum of many: a cell is moved about as often as the logarithm of their number says.
class CountsSum {
 public:
  void add(CountsFile file, std::string_view name);  // throws as merge()
  CountsFile take();                                 // REQUIRES: one was added at least

 private:
  struct Part {
    int level;  // the sum of 2^level files
    CountsFile sum;
  };
  std::vector<Part> parts_;  // levels fall
  CorpusPart part_;          // of all, so that a shard that is there twice is found at once
};

// Throws unless this is a whole corpus: kUsage with the shards that are missing, kMalformed for an
// unfinished count and for an input without records.
void check_complete(const CountsFile& file, std::string_view name);

// Options, tokenizer and cut of two counts that are not of one run; inputs are not compared.
struct CountsDifference {
  std::string what, first, second;
};
std::vector<CountsDifference> differences(const CountsFile& first, const CountsFile& second);
bool same_inputs(const CorpusPart& first, const CorpusPart& second);
// True when what was counted is of the inputs at hand. A corpus that is no file has none at hand,
// and one once it is counted.
bool is_of_inputs(CorpusPart counted, const CorpusPart& at_hand);
// Throws kMalformed for a checkpoint.
void check_finished(const CountsFile& file, std::string_view name);

}  // namespace sextant
