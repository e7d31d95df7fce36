// SPDX-License-Identifier: Apache-2.0
// A whole corpus as vectors of strings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corpus/records.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {

struct AllRecords {
  std::vector<std::string> texts, groups, notes;
  std::vector<std::uint64_t> places;
  std::vector<std::uint32_t> files;
  Index skipped = 0, batches = 0;
  ReadProgress progress;
};

inline AllRecords read_records(std::vector<std::filesystem::path> inputs,
                               const RecordOptions& options = {}) {
  const auto reader = open_records(std::move(inputs), options);
  AllRecords all;
  for (RecordBatch batch; reader->next(batch); ++all.batches) {
    for (const RecordBatch::Record& record : batch.records) {
      all.texts.emplace_back(batch.text(record));
      all.groups.emplace_back(batch.group(record));
      all.places.push_back(record.place);
      all.files.push_back(record.file);
    }
  }
  all.notes = reader->notes();
  all.skipped = reader->skipped();
  all.progress = reader->progress();
  return all;
}

// One file that exists only here.
inline AllRecords read_text(std::string_view name, std::string_view content,
                            const RecordOptions& options = {}) {
  const TemporaryDirectory folder;
  return read_records({folder.write(name, content)}, options);
}

// read_text throws kMalformed with `part` in its message.
inline void expect_malformed(std::string_view part, std::string_view name, std::string_view content,
                             const RecordOptions& options = {}) {
  expect_error(ErrorCode::kMalformed, part, [&] { read_text(name, content, options); });
}

using Strings = std::vector<std::string>;

}  // namespace sextant
