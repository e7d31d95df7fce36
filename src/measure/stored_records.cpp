// SPDX-License-Identifier: Apache-2.0
#include "measure/stored_records.h"

namespace sextant {

std::vector<RecordBatch> line_records(const std::string& text) {
  std::vector<RecordBatch> batches;
  std::uint64_t line = 0;
  for (std::size_t from = 0; from < text.size();) {
    if (batches.empty() || batches.back().bytes.size() >= kBatchBytes) batches.emplace_back();
    RecordBatch& batch = batches.back();
    const std::size_t size = text.find('\n', from) - from;
    batch.records.push_back(
        {.text = batch.bytes.size(), .text_size = size, .file = 0, .place = ++line});
    batch.bytes.append(text, from, size);
    from += size + 1;
  }
  return batches;
}

}  // namespace sextant
