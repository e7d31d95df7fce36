// SPDX-License-Identifier: Apache-2.0
#include "corpus/shard_plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace sextant {
namespace {

class ShardedRecords final : public RecordReader {
 public:
  ShardedRecords(std::unique_ptr<RecordReader> reader, const Shard& shard)
      : reader_(std::move(reader)), shard_(shard) {}

  bool next(RecordBatch& batch) override {
    if (!reader_->next(batch)) return false;
    std::erase_if(batch.records, [this](const RecordBatch::Record&) {
      return next_++ % shard_.count != shard_.index;
    });
    return true;
  }
  ReadProgress progress() const override { return reader_->progress(); }
  ReadLog log() const override { return reader_->log(); }
  CorpusPart part() const override {
    CorpusPart part = reader_->part();
    part.shards = shard_.count;
    part.present = {shard_.index};
    return part;
  }

 private:
  std::unique_ptr<RecordReader> reader_;
  Shard shard_;
  Index next_ = 0;  // number of the next record
};

}  // namespace

std::vector<InputShare> shares_of(const Shard& shard, std::span<const std::uint64_t> sizes,
                                  const std::function<bool(std::size_t)>& can_cut) {
  __extension__ using Wide = unsigned __int128;
  using Kind = InputShare::Kind;
  std::vector<InputShare> shares(sizes.size());
  if (shard.count == 1) return shares;
  const auto count = static_cast<std::uint64_t>(shard.count);
  const auto index = static_cast<std::uint64_t>(shard.index);
  const std::uint64_t total = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  const auto border = [&](std::uint64_t i) {
    return static_cast<std::uint64_t>(Wide{total} * i / count);
  };
  const std::uint64_t first = border(index), last = border(index + 1);
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < sizes.size(); offset += sizes[i++]) {
    const std::uint64_t size = sizes[i];
    const std::uint64_t begin = std::clamp(first, offset, offset + size) - offset;
    const std::uint64_t end = std::clamp(last, offset, offset + size) - offset;
    const bool large = Wide{size} * count > total;
    if (begin == end && !large) {
      shares[i].kind = Kind::kNothing;
    } else if (can_cut(i)) {
      const bool whole = begin == 0 && end == size;
      shares[i] = {whole ? Kind::kWhole : begin == end ? Kind::kNothing : Kind::kLines, begin, end};
    } else if (large) {
      shares[i].kind = Kind::kRecords;
    } else {
      const bool mine = begin <= size / 2 && size / 2 < end;
      shares[i].kind = mine ? Kind::kWhole : Kind::kNothing;
    }
  }
  return shares;
}

void check_shard(const Shard& shard) {
  require(shard.count >= 1 && shard.count <= kMostShards, "--shard",
          "the number of shards must be 1 to {} but is {}", kMostShards, shard.count);
  require(shard.index >= 0 && shard.index < shard.count, "--shard",
          "the shard must be 0 to {} but is {}", shard.count - 1, shard.index);
}

std::unique_ptr<RecordReader> sharded_records(std::unique_ptr<RecordReader> reader,
                                              const Shard& shard) {
  check_shard(shard);
  if (shard.count == 1) return reader;
  return std::make_unique<ShardedRecords>(std::move(reader), shard);
}

}  // namespace sextant
