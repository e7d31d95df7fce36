// SPDX-License-Identifier: Apache-2.0
// Records that were made before, to be read any number of times.
#pragma once

#include <string>
#include <vector>

#include "corpus/records.h"

namespace sextant {

class StoredRecords final : public RecordReader {
 public:
  explicit StoredRecords(const std::vector<RecordBatch>& batches) : batches_(batches) {}
  bool next(RecordBatch& batch) override {
    if (next_ == batches_.size()) return false;
    batch = batches_[next_++];
    return true;
  }
  ReadProgress progress() const override { return {}; }

 private:
  const std::vector<RecordBatch>& batches_;
  std::size_t next_ = 0;
};

// The lines of a text, each a record. REQUIRES: it ends with a newline.
std::vector<RecordBatch> line_records(const std::string& text);

}  // namespace sextant
