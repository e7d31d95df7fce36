// SPDX-License-Identifier: Apache-2.0
// Records of a corpus, in batches, from any number of files in any accepted format.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/corpus_part.h"
#include "corpus/read_log.h"
#include "sextant/corpus.h"

namespace sextant {

inline constexpr std::size_t kBatchBytes = std::size_t{1} << 22;  // a batch is full from here on

// A batch owns its bytes; records are pieces of them.
struct RecordBatch {
  struct Record {
    std::size_t text = 0, text_size = 0;    // in `bytes`
    std::size_t group = 0, group_size = 0;  // 0 size: the record is its own group
    std::uint32_t file = 0;                 // which input
    std::uint64_t place = 0;  // line where the record begins, from 1 where the shard begins
  };
  std::string bytes;
  std::vector<Record> records;

  std::string_view text(const Record& r) const { return {bytes.data() + r.text, r.text_size}; }
  std::string_view group(const Record& r) const { return {bytes.data() + r.group, r.group_size}; }
};

struct ReadProgress {
  std::uint64_t bytes_read = 0;   // of the files as they lie on disk
  std::uint64_t bytes_total = 0;  // 0: unknown
};

// The inputs as a user names them, globs expanded in alphabetical order; "-" is stdin. Throws
// kUnreadable for one that is missing and for a glob that matches nothing.
std::vector<std::filesystem::path> expand_inputs(const std::vector<std::string>& inputs);

class RecordReader {
 public:
  virtual ~RecordReader() = default;
  // About 4 MB of text a call; false at the end, and only there: where a shard passes over the
  // records of others, these count, and a batch may be empty. Throws kMalformed "FILE:LINE: ..." by
  // the rules of docs/corpus-formats.md.
  virtual bool next(RecordBatch& batch) = 0;
  virtual ReadProgress progress() const = 0;
  // Bad records, BOM stripped, CRLF, blank lines, ...
  virtual ReadLog log() const { return {}; }
  // What is read, with no records counted yet.
  virtual CorpusPart part() const { return {}; }

  Index skipped() const { return log().skipped; }
  std::vector<std::string> notes() const { return log().notes(); }
};
// Throws kUsage when an option does not fit the format.
std::unique_ptr<RecordReader> open_records(std::vector<std::filesystem::path> inputs,
                                           const RecordOptions& options);

}  // namespace sextant
