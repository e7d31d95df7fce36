// SPDX-License-Identifier: Apache-2.0
#include "corpus/wordnet.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "base/check.h"
#include "io/input_file.h"

namespace sextant {
namespace {

constexpr std::array<std::string_view, 4> kFiles = {"data.noun", "data.verb", "data.adj",
                                                    "data.adv"};

class WordnetRecords final : public RecordReader {
 public:
  explicit WordnetRecords(const std::filesystem::path& folder) {
    for (std::size_t i = 0; i < kFiles.size(); ++i) {
      files_[i] = std::make_unique<InputFile>(folder / kFiles[i]);
      progress_.bytes_total += files_[i]->size();
    }
  }

  bool next(RecordBatch& batch) override {
    batch.bytes.clear();
    batch.records.clear();
    while (batch.bytes.size() < kBatchBytes && next_line()) add_gloss(batch);
    return !batch.records.empty();
  }
  ReadProgress progress() const override { return progress_; }

 private:
  // Whole files: the largest has 16 MB.
  bool next_line() {
    while (left_.empty()) {
      if (file_ == files_.size()) return false;
      const InputFile& input = *files_[file_++];
      content_.resize(input.size());
      input.read_at(0, std::as_writable_bytes(std::span(content_)));
      input.verify_unchanged();
      left_ = content_;
      number_ = 0;
    }
    line_ = left_.substr(0, left_.find('\n'));
    const std::size_t used = std::min(line_.size() + 1, left_.size());
    left_.remove_prefix(used);
    progress_.bytes_read += used;
    ++number_;
    return true;
  }

  void add_gloss(RecordBatch& batch) {
    if (line_.starts_with("  ")) return;  // the licence
    constexpr std::string_view kBar = " | ";
    const std::size_t bar = line_.find(kBar);
    if (bar == line_.npos)
      fail(ErrorCode::kMalformed, fmt::format("{}:{}", files_[file_ - 1]->name(), number_),
           "no gloss; a synset has one after ' | '");
    std::string_view gloss = line_.substr(bar + kBar.size());
    gloss = gloss.substr(0, gloss.find_last_not_of(" \r") + 1);
    batch.records.push_back({.text = batch.bytes.size(),
                             .text_size = gloss.size(),
                             .file = static_cast<std::uint32_t>(file_ - 1),
                             .place = number_});
    batch.bytes += gloss;
  }

  std::array<std::unique_ptr<InputFile>, kFiles.size()> files_;
  std::size_t file_ = 0;  // of the next one to read
  std::string content_;
  std::string_view left_, line_;
  std::uint64_t number_ = 0;
  ReadProgress progress_;
};

}  // namespace

bool wordnet_present(const std::filesystem::path& folder) {
  return std::all_of(kFiles.begin(), kFiles.end(), [&](std::string_view file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(folder / file, ignored);
  });
}

std::unique_ptr<RecordReader> open_wordnet(const std::filesystem::path& folder) {
  return std::make_unique<WordnetRecords>(folder);
}

}  // namespace sextant
