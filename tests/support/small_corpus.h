// SPDX-License-Identifier: Apache-2.0
// A reader of records in memory and a tokenizer of blank-separated words whose ids depend on the
// order of reading: the smallest things that have every property the counter must cope with.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/records.h"
#include "sextant/corpus.h"

namespace sextant {

struct TextRecord {
  std::string text;
  std::string group = {};
};

class MemoryReader final : public RecordReader {
 public:
  MemoryReader(std::vector<TextRecord> records, std::size_t batch)
      : records_(std::move(records)), batch_(batch) {}

  bool next(RecordBatch& batch) override {
    batch = {};
    for (; next_ < records_.size() && batch.records.size() < batch_; ++next_) {
      const TextRecord& from = records_[next_];
      RecordBatch::Record record = {.text = batch.bytes.size(), .text_size = from.text.size()};
      batch.bytes += from.text;
      record.group = batch.bytes.size();
      record.group_size = from.group.size();
      batch.bytes += from.group;
      record.place = next_ + 1;
      batch.records.push_back(record);
    }
    return !batch.records.empty();
  }
  ReadProgress progress() const override {
    return {.bytes_read = next_, .bytes_total = records_.size()};
  }

 private:
  std::vector<TextRecord> records_;
  std::size_t batch_, next_ = 0;
};

class GrowingWords final : public Tokenizer {
 public:
  std::string_view name() const override { return "growing"; }
  std::unique_ptr<TokenizerSession> session() const override {
    return std::make_unique<Session>(*this);
  }
  Index vocabulary() const override {
    const std::lock_guard lock(mutex_);
    return std::ssize(tokens_);
  }
  std::string text(TokenId id) const override {
    const std::lock_guard lock(mutex_);
    return tokens_.at(id);
  }
  std::vector<TokenId> canonical_ids() const override {
    std::vector<TokenId> result(tokens_.size());
    TokenId rank = 0;
    for (const auto& [token, id] : ids_) result[id] = rank++;
    return result;
  }
  std::vector<std::string> learned_tokens() const override { return tokens_; }
  void restore(std::span<const std::string> tokens) override {
    for (const std::string& token : tokens) id_of(token);
  }

  TokenId id_of(std::string_view word) const {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] =
        ids_.try_emplace(std::string(word), static_cast<TokenId>(tokens_.size()));
    if (is_new) tokens_.push_back(place->first);
    return place->second;
  }

 private:
  class Session final : public TokenizerSession {
   public:
    explicit Session(const GrowingWords& words) : words_(words) {}
    void encode(std::string_view text, Index most, std::vector<TokenId>& ids) override {
      for (Index count = 0; count < most && !text.empty();) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        if (word.empty()) continue;
        ids.push_back(words_.id_of(word));
        ++count;
      }
    }

   private:
    const GrowingWords& words_;
  };

  mutable std::mutex mutex_;
  mutable std::map<std::string, TokenId, std::less<>> ids_;
  mutable std::vector<std::string> tokens_;
};

}  // namespace sextant
