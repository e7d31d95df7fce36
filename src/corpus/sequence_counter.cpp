// SPDX-License-Identifier: Apache-2.0
// Whatever depends on chance is a function of the record's text and the seed, never of its number,
// its thread or the ids of its tokens: the order of reading does not matter.
#include "corpus/sequence_counter.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/hash.h"
#include "base/rng.h"
#include "corpus/positional_counts.h"

namespace sextant {
namespace {

constexpr std::uint64_t kTextSeed = 0x7465787400000001, kCheckSeed = 0x7465787400000002;
constexpr std::uint64_t kGroupSeed = 0x67726F7570000003, kTokenSeed = 0x746F6B656E000004;
constexpr std::uint64_t kBlockStream = 5, kShuffleStream = 6;

Index most_content(const CountOptions& options) {
  if (options.specials == Specials::kNone) return options.positions;
  const bool keeps_end = options.windows || options.length == LengthRule::kPadded;
  return options.positions - (keeps_end ? 2 : 1);
}

}  // namespace

CountingIds::CountingIds(const Tokenizer& tokenizer, const CountOptions& options) {
  const SpecialTokens given = tokenizer.specials();
  const bool lacks_ends =
      options.specials == Specials::kBert && !(given.start.has_value() && given.end.has_value());
  const bool lacks_padding = options.length == LengthRule::kPadded && !given.padding.has_value();
  if (lacks_ends || lacks_padding) shift = 3;
  if (given.start) start = *given.start + shift;
  if (given.end) end = *given.end + shift;
  if (given.padding) padding = *given.padding + shift;
}

std::vector<TokenId> CountingIds::final_names(const Tokenizer& tokenizer) const {
  const auto vocabulary = static_cast<TokenId>(tokenizer.vocabulary());
  const std::vector<TokenId> canonical = tokenizer.canonical_ids();
  std::vector<TokenId> names;
  names.reserve(std::size_t{vocabulary} + shift);
  for (TokenId special = 0; special < shift; ++special) names.push_back(vocabulary + special);
  for (TokenId id = 0; id < vocabulary; ++id)
    names.push_back(canonical.empty() ? id : canonical[id]);
  return names;
}

RecordHash hash_record(std::string_view text, std::string_view group) {
  RecordHash result = {.text = hash(text, kTextSeed), .check = hash(text, kCheckSeed)};
  result.group = group.empty() ? result.text : hash(group, kGroupSeed);
  return result;
}

void add_record(std::array<std::uint64_t, 2>& input_hash, const RecordHash& record) {
  input_hash[0] += mixed(record.text, record.group);
  input_hash[1] += mixed(record.check, record.group);
}

SequenceCounter::SequenceCounter(const Tokenizer& tokenizer, const CountOptions& options,
                                 const CountingIds& ids, std::uint64_t gather_limit)
    : tokenizer_(tokenizer),
      options_(options),
      ids_(ids),
      gather_limit_(gather_limit),
      session_(tokenizer.session()),
      most_(most_content(options)) {
  start_again();
}

void SequenceCounter::start_again() {
  counts_ = empty_counts(options_);
  counts_.blocks.set_gather_limit(gather_limit_);
  counts_.shuffled.set_gather_limit(gather_limit_);
  ends_.assign(static_cast<std::size_t>(options_.positions) + 1, {});
}

void SequenceCounter::count(std::string_view text, std::string_view group) {
  const RecordHash record = hash_record(text, group);
  add_record(counts_.input_hash, record);
  ++counts_.records;
  const std::uint64_t block = mixed(record.group, Rng(options_.seed, kBlockStream).at(0)) >> 58;
  static_assert(kBlocks == 64, "the block is the top six bits");

  content_.clear();
  const Index most = options_.windows ? std::numeric_limits<Index>::max() : most_;
  session_->encode(text, most, content_);
  assert(std::ssize(content_) <= most);
  if (ids_.shift > 0)
    for (TokenId& id : content_) id += ids_.shift;
  std::span<const TokenId> left = content_;
  std::uint64_t window = 0;
  do {
    const auto piece = left.first(std::min(left.size(), static_cast<std::size_t>(most_)));
    count_sequence(piece, block, record.group, mixed(record.text, window++));
    left = left.subspan(piece.size());
  } while (!left.empty());
}

void SequenceCounter::count_sequence(std::span<const TokenId> content, std::size_t block,
                                     std::uint64_t group, std::uint64_t key) {
  const auto positions = static_cast<std::size_t>(options_.positions);
  const bool special = options_.specials == Specials::kBert;
  row_.clear();
  if (special) row_.push_back(ids_.start);
  const std::size_t first = row_.size();
  row_.insert(row_.end(), content.begin(), content.end());
  if (special && row_.size() < positions) row_.push_back(ids_.end);

  ++counts_.sequences;
  ++counts_.lengths[row_.size()];
  if (options_.length == LengthRule::kAtLeast && row_.size() < positions) return;
  if (options_.length == LengthRule::kAny && row_.empty()) return;
  ++counts_.used;
  counts_.tokens += std::ssize(row_);
  sample_runs(content, group);
  if (options_.length == LengthRule::kPadded) row_.resize(positions, ids_.padding);
  ++ends_[row_.size()][block];
  batch_.add(row_, {.size = row_.size(),
                    .fixed = first,
                    .movable = content.size(),
                    .block = static_cast<std::uint32_t>(block),
                    .key = key});
  if (batch_.full()) count_batch();
}

void SequenceCounter::count_batch() {
  batch_.count(counts_.blocks, counts_.shuffled, options_.shuffles,
               mixed(options_.seed, kShuffleStream));
}

// With prefix sums p_k = sum_j<k h_j b^(k-1-j) the run that starts at k has the polynomial
// p_(k+8) - p_k b^8, whatever stands before it.
void SequenceCounter::sample_runs(std::span<const TokenId> content, std::uint64_t group) {
  constexpr std::uint64_t kBase = 0x9FB21C651E98DF25;
  constexpr std::uint64_t kPower = [] {
    std::uint64_t power = 1;
    for (std::size_t i = 0; i < RunSample::kRunLength; ++i) power *= kBase;
    return power;
  }();
  if (content.size() < RunSample::kRunLength) return;
  prefix_.resize(content.size() + 1);
  for (std::size_t i = 0; i < content.size(); ++i)
    prefix_[i + 1] = prefix_[i] * kBase + token_hash(content[i]);
  for (std::size_t i = 0; i + RunSample::kRunLength <= content.size(); ++i)
    sample_.add(mixed(prefix_[i + RunSample::kRunLength] - prefix_[i] * kPower, kTokenSeed), group);
}

// Of the token's text: ids may depend on the order of reading.
std::uint64_t SequenceCounter::token_hash(TokenId id) {
  if (id >= token_hashes_.size()) token_hashes_.resize(std::size_t{id} + 1);
  std::uint64_t& known = token_hashes_[id];
  if (known == 0) known = hash(tokenizer_.text(id - ids_.shift), kTokenSeed) | 1;
  return known;
}

PositionalCounts SequenceCounter::take() {
  count_batch();
  counts_.blocks.flush();
  counts_.shuffled.flush();
  counts_.runs = sample_.take();
  std::array<std::int64_t, kBlocks> longer = {};
  for (std::size_t i = counts_.sequences_at.size(); i-- > 0;) {
    for (std::size_t block = 0; block < longer.size(); ++block)
      longer[block] += ends_[i + 1][block];
    counts_.sequences_at[i] = longer;
  }
  PositionalCounts result = std::move(counts_);
  start_again();
  return result;
}

}  // namespace sextant
