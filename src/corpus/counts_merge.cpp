// SPDX-License-Identifier: Apache-2.0
// Sums of counts of shards. Ids of a growing vocabulary are ranks among its tokens, so that those
// of a part become those of the union without a change of order.
#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/text.h"
#include "corpus/counts_file.h"
#include "corpus/positional_counts.h"

namespace sextant {
namespace {

constexpr std::size_t kMostListed = 8;

std::string_view name_of(Specials specials) {
  return specials == Specials::kBert ? "bert" : "none";
}

std::string list_text(std::span<const Index> numbers) {
  std::string text =
      fmt::format("{}", fmt::join(numbers.first(std::min(numbers.size(), kMostListed)), ", "));
  if (numbers.size() > kMostListed)
    text += fmt::format(" and {} more", numbers.size() - kMostListed);
  return text;
}

void check_fits(const CountsFile& into, const CountsFile& other, std::string_view name) {
  check_finished(other, name);
  std::string text;
  for (const CountsDifference& each : differences(into, other))
    text += fmt::format("{}{} is {} here and {} in the others", text.empty() ? "" : ", ", each.what,
                        each.second, each.first);
  require(text.empty(), name, "counts of another run: {}", text);
  require(same_inputs(into.part, other.part), name, "counts of another corpus: its files differ");
}

void merge_parts(CorpusPart& into, const CorpusPart& other, std::string_view name) {
  std::vector<Index> both;
  std::ranges::set_intersection(into.present, other.present, std::back_inserter(both));
  require(both.empty(), name, "shard {} of {} is there twice", list_text(both), into.shards);
  std::vector<Index> present;
  std::ranges::set_union(into.present, other.present, std::back_inserter(present));
  into.present = std::move(present);
  for (std::size_t i = 0; i < into.inputs.size(); ++i)
    add_amount(into.inputs[i].records, other.inputs[i].records);
}

// The id that each token of a part has in the union, special tokens last.
std::vector<TokenId> ids_in(std::span<const std::string> whole, std::span<const std::string> part) {
  std::vector<TokenId> ids;
  ids.reserve(part.size() + kSpecialIds);
  TokenId id = 0;
  for (const std::string& token : part) {
    while (whole[id] != token) ++id;
    ids.push_back(id++);
  }
  for (TokenId special = 0; special < kSpecialIds; ++special)
    ids.push_back(static_cast<TokenId>(whole.size()) + special);
  return ids;
}

void merge_cells(CountsFile& into, CountsFile& other) {
  std::vector<TokenId> names, other_names;
  if (into.tokens != other.tokens) {
    std::vector<std::string> both;
    std::ranges::set_union(into.tokens, other.tokens, std::back_inserter(both));
    names = ids_in(both, into.tokens);
    other_names = ids_in(both, other.tokens);
    into.tokens = std::move(both);
  }
  into.counts.blocks.merge(other.counts.blocks, names, other_names);
  other.counts.blocks = {};
  into.counts.shuffled.merge(other.counts.shuffled, names, other_names);
  other.counts.shuffled = {};
}

}  // namespace

std::vector<CountsDifference> differences(const CountsFile& first, const CountsFile& second) {
  std::vector<CountsDifference> result;
  const auto compare = [&](std::string_view what, const auto& a, const auto& b) {
    if (a != b) result.push_back({std::string(what), fmt::format("{}", a), fmt::format("{}", b)});
  };
  const CountOptions &a = first.counts.options, &b = second.counts.options;
  compare("positions", a.positions, b.positions);
  compare("length", name(a.length), name(b.length));
  compare("specials", name_of(a.specials), name_of(b.specials));
  compare("windows", a.windows, b.windows);
  compare("shuffles", a.shuffles, b.shuffles);
  compare("seed", a.seed, b.seed);
  compare("tokenizer", escaped(first.counts.tokenizer), escaped(second.counts.tokenizer));
  if (first.counts.tokenizer == second.counts.tokenizer)
    compare("vocabulary", fmt::format("{:016x}", first.counts.tokenizer_hash),
            fmt::format("{:016x}", second.counts.tokenizer_hash));
  compare("corpus", escaped(first.part.built_in), escaped(second.part.built_in));
  const auto reading = [](const CountsFile& file) {
    return fmt::format("'{}'", escaped(fmt::format("{}", fmt::join(file.part.reading, " "))));
  };
  compare("reading", reading(first), reading(second));
  compare("--skip-bad", first.log.skip_bad, second.log.skip_bad);
  compare("--limit", first.part.limit.value_or(0), second.part.limit.value_or(0));
  compare("number of shards", first.part.shards, second.part.shards);
  return result;
}

bool same_inputs(const CorpusPart& first, const CorpusPart& second) {
  return std::ranges::equal(first.inputs, second.inputs,
                            [](const CountedInput& a, const CountedInput& b) {
                              return a.size == b.size && a.fingerprint == b.fingerprint;
                            });
}

bool is_of_inputs(CorpusPart counted, const CorpusPart& at_hand) {
  if (at_hand.inputs.empty()) counted.inputs.clear();
  return same_inputs(counted, at_hand);
}

void check_finished(const CountsFile& file, std::string_view name) {
  if (!file.finished)
    fail(ErrorCode::kMalformed, name, "a checkpoint of a count that is not finished");
}

void merge(CountsFile& into, CountsFile other, std::string_view name) {
  check_finished(into, "counts");
  check_fits(into, other, name);
  merge_parts(into.part, other.part, name);
  into.log.merge(other.log);
  into.notes = std::min(into.notes, other.notes);  // equal but for how the tokenizer's files lie
  merge_cells(into, other);
  merge_totals(into.counts, other.counts);
  into.counts.vocabulary = counted_tokens(into.counts);
  into.generation = 0;
}

void CountsSum::add(CountsFile file, std::string_view name) {
  if (parts_.empty()) {
    check_finished(file, name);
    part_ = file.part;
  } else {
    check_fits(parts_.front().sum, file, name);
    merge_parts(part_, file.part, name);
  }
  int level = 0;
  for (; !parts_.empty() && parts_.back().level == level; ++level) {
    merge(parts_.back().sum, std::move(file), name);
    file = std::move(parts_.back().sum);
    parts_.pop_back();
  }
  parts_.push_back({level, std::move(file)});
}

CountsFile CountsSum::take() {
  CountsFile sum = std::move(parts_.back().sum);
  for (parts_.pop_back(); !parts_.empty(); parts_.pop_back())
    merge(sum, std::move(parts_.back().sum));
  return sum;
}

void check_complete(const CountsFile& file, std::string_view name) {
  check_finished(file, name);
  const CorpusPart& part = file.part;
  std::vector<Index> missing;
  auto next = part.present.begin();
  for (Index shard = 0; shard < part.shards; ++shard) {
    if (next != part.present.end() && *next == shard)
      ++next;
    else
      missing.push_back(shard);
  }
  require(missing.empty(), name, "{} of {} shards missing: {}; merge all of them", missing.size(),
          part.shards, list_text(missing));
  if (part.limit) return;  // later inputs may not have been reached
  for (std::size_t i = 0; i < part.inputs.size(); ++i) {
    if (part.inputs[i].records == 0)
      fail(ErrorCode::kMalformed, name,
           "input {} of the corpus, of {} bytes, has no records; expected at least one", i + 1,
           part.inputs[i].size);
  }
}

}  // namespace sextant
