// SPDX-License-Identifier: Apache-2.0
// One parser per format, each fed with the lines of one file.
#pragma once

#include <memory>
#include <string_view>

#include "corpus/line_source.h"
#include "corpus/records.h"
#include "sextant/corpus.h"

namespace sextant {

class RecordParser {
 public:
  virtual ~RecordParser() = default;
  // Appends the next record to `batch` and leaves out bad ones before it; false at the end.
  virtual bool next(RecordBatch& batch) = 0;
  // Whether the first row of a file tells something of all. Then learn() takes it from the lines
  // before, for a file that is read from its middle on, and reads no further than that row.
  virtual bool learns() const { return false; }
  virtual void learn(LineSource& /*before*/) {}
};

// REQUIRES: format is not kAuto; `lines` and `options` outlive the parser.
std::unique_ptr<RecordParser> make_record_parser(RecordFormat format, LineSource& lines,
                                                 const RecordOptions& options);

std::unique_ptr<RecordParser> make_table_parser(RecordFormat format, LineSource& lines,
                                                const RecordOptions& options);
std::unique_ptr<RecordParser> make_jsonl_parser(LineSource& lines, const RecordOptions& options);

void append_record(RecordBatch& batch, std::string_view text, std::string_view group,
                   const LineSource& lines, std::uint64_t line);

}  // namespace sextant
