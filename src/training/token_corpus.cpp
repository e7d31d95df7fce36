// SPDX-License-Identifier: Apache-2.0
#include "training/token_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <span>

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "corpus/inputs.h"
#include "corpus/sequence_counter.h"
#include "corpus/synthetic.h"

namespace sextant {
namespace {

constexpr std::size_t kMostLabels = 10000;
constexpr std::uint64_t kUsualMemory = 2'000'000'000;
constexpr double kShareOfAvailable = 0.8;
constexpr Index kSpecialIds = 4;  // unknown, mask, pad, cls at most

std::uint64_t usual_memory() {
  const std::optional<std::uint64_t> available = available_memory();
  if (!available) return kUsualMemory;
  const double share = kShareOfAvailable * static_cast<double>(*available);
  return std::min(kUsualMemory, static_cast<std::uint64_t>(share));
}

RecordFormat record_format(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, RecordFormat>, 6> kFormats = {
      {{"", RecordFormat::kAuto},
       {"auto", RecordFormat::kAuto},
       {"text", RecordFormat::kText},
       {"tsv", RecordFormat::kTsv},
       {"csv", RecordFormat::kCsv},
       {"jsonl", RecordFormat::kJsonl}}};
  const auto* const found = std::ranges::find(
      kFormats, word,
      [](const std::pair<std::string_view, RecordFormat>& each) { return each.first; });
  require(found != kFormats.end(), "format", "'{}' is none of auto, text, tsv, csv, jsonl",
          escaped(word));
  return found->second;
}

struct OpenCorpus {
  std::unique_ptr<RecordReader> reader;
  std::vector<std::string> names;  // of the inputs, for messages
};

// "text_column" is a column of tables and a field of jsonl.
RecordOptions record_options(const TrialCorpus& corpus,
                             const std::vector<std::filesystem::path>& paths,
                             std::string_view source) {
  RecordOptions options = {.format = record_format(corpus.format)};
  bool table = false, jsonl = false;
  for (const std::filesystem::path& path : paths) {
    const RecordFormat format =
        options.format == RecordFormat::kAuto ? format_by_name(path) : options.format;
    table = table || format == RecordFormat::kTsv || format == RecordFormat::kCsv;
    jsonl = jsonl || format == RecordFormat::kJsonl;
  }
  require(corpus.label_column.empty() || table || jsonl, source,
          "plain text has no labels; expected tsv, csv or jsonl");
  require(corpus.text_column.empty() || table || jsonl, source,
          "plain text has no columns; expected tsv, csv or jsonl");
  if (table) options.text_column = corpus.text_column;
  if (jsonl && !corpus.text_column.empty()) options.text_field = corpus.text_column;
  options.group_column = corpus.label_column;
  options.group_role = "label";
  if (corpus.limit > 0) options.limit = corpus.limit;
  return options;
}

OpenCorpus open_corpus(const TrialCorpus& corpus) {
  require(!corpus.inputs.empty(), "corpus", "no input; expected at least one file");
  require(corpus.limit >= 0, "corpus", "the limit {} is negative", corpus.limit);
  if (corpus.inputs.size() == 1 && is_synthetic(corpus.inputs.front())) {
    const std::string& name = corpus.inputs.front();
    require(corpus.label_column.empty(), name, "has no labels");
    SyntheticCorpus synthetic = parse_synthetic(name);
    if (corpus.limit > 0) synthetic.sequences = std::min(synthetic.sequences, corpus.limit);
    return {synthetic.records(), {name}};
  }
  std::vector<std::filesystem::path> paths = expand_inputs(corpus.inputs);
  std::vector<std::string> names;
  names.reserve(paths.size());
  for (const std::filesystem::path& path : paths)
    names.push_back(path == "-" ? "stdin" : path_text(path));
  const RecordOptions options = record_options(corpus, paths, names.front());
  return {open_records(std::move(paths), options), std::move(names)};
}

class CorpusTokens {
 public:
  CorpusTokens(const TrialCorpus& corpus, const CorpusReading& reading)
      : corpus_(corpus),
        memory_(reading.memory.value_or(usual_memory())),
        tokenizer_(make_tokenizer(corpus.tokenizer)),
        session_(tokenizer_->session()),
        input_(open_corpus(corpus)) {
    const bool grows = tokenizer_->name() == "words";
    require(corpus.vocabulary >= 0 && (corpus.vocabulary == 0 || grows), "vocabulary",
            "{} words asked for; only the tokenizer 'words' can be cut, to 1 or more",
            corpus.vocabulary);
    result_.starts.push_back(0);
    result_.source = input_.names.size() == 1 ? input_.names.front()
                                              : fmt::format("{} and {} more", input_.names.front(),
                                                            input_.names.size() - 1);
  }

  TokenCorpus read(const CorpusReading& reading) {
    for (RecordBatch batch; input_.reader->next(batch);) {
      for (const RecordBatch::Record& record : batch.records) add(batch, record);
      if (reading.progress) reading.progress(input_.reader->progress());
    }
    if (result_.size() == 0)
      fail(ErrorCode::kMalformed, result_.source, "no tokens in {} records", records_);
    if (tokenizer_->vocabulary() > std::numeric_limits<std::int32_t>::max() - kSpecialIds)
      fail(ErrorCode::kRefused, result_.source, "{} different tokens do not fit 32 bits",
           tokenizer_->vocabulary());
    name_tokens();
    name_labels();
    result_.hash = fmt::format("{:016x}{:016x}", hash_[0], hash_[1]);
    return std::move(result_);
  }

 private:
  void add(const RecordBatch& batch, const RecordBatch::Record& record) {
    const std::string_view text = batch.text(record), label = batch.group(record);
    add_record(hash_, hash_record(text, label));
    ++records_;
    ids_.clear();
    session_->encode(text, std::numeric_limits<Index>::max(), ids_);
    if (ids_.empty()) return;
    if (!corpus_.label_column.empty()) {
      if (label.empty())
        fail(ErrorCode::kMalformed, fmt::format("{}:{}", input_.names[record.file], record.place),
             "the label is empty");
      result_.labels.push_back(label_id(label));
    }
    reserve(ids_.size());
    for (const TokenId id : ids_) result_.tokens.push_back(static_cast<std::int32_t>(id));
    result_.starts.push_back(result_.tokens.size());
  }

  std::int32_t label_id(std::string_view label) {
    const auto found = labels_.find(label);
    if (found != labels_.end()) return found->second;
    require(labels_.size() < kMostLabels, result_.source,
            "more than {} different labels in the column '{}'", kMostLabels,
            escaped(corpus_.label_column));
    return labels_.emplace(label, static_cast<std::int32_t>(labels_.size())).first->second;
  }

  // Room for `more` tokens. While a vector grows, its old and its new memory are both there.
  void reserve(std::size_t more) {
    std::vector<std::int32_t>& tokens = result_.tokens;
    if (tokens.size() + more <= tokens.capacity()) return;
    const std::size_t grown =
        std::max({2 * tokens.capacity(), tokens.size() + more, std::size_t{1} << 10});
    constexpr std::size_t kPerSequence = 2 * (sizeof(std::size_t) + sizeof(std::int32_t));
    const std::uint64_t bytes =
        sizeof(std::int32_t) * (tokens.capacity() + grown) + kPerSequence * result_.starts.size();
    if (bytes > memory_) refuse(bytes);
    tokens.reserve(grown);
  }

  [[noreturn]] void refuse(std::uint64_t bytes) const {
    const ReadProgress progress = input_.reader->progress();
    std::string whole;
    if (progress.bytes_read > 0 && progress.bytes_total > progress.bytes_read)
      whole = fmt::format(" ({:.1f} for all of the input)",
                          1e-6 * static_cast<double>(bytes) *
                              static_cast<double>(progress.bytes_total) /
                              static_cast<double>(progress.bytes_read));
    fail(ErrorCode::kRefused, result_.source,
         "more than {} sequences need about {:.1f} MB of memory{} but {:.1f} MB may be used; limit "
         "the number of sequences",
         result_.size(), 1e-6 * static_cast<double>(bytes), whole,
         1e-6 * static_cast<double>(memory_));
  }

  void name_tokens() {
    const auto size = static_cast<std::size_t>(tokenizer_->vocabulary());
    std::vector<std::size_t> counts(size);
    for (const std::int32_t id : result_.tokens) ++counts[static_cast<std::size_t>(id)];
    const std::vector<TokenId> canonical = tokenizer_->canonical_ids();
    if (canonical.empty()) {
      result_.vocabulary = static_cast<Index>(size);
    } else {
      name_by_frequency(counts, canonical);
      counts.clear();
    }
    name_specials(counts);
  }

  void name_by_frequency(const std::vector<std::size_t>& counts,
                         const std::vector<TokenId>& canonical) {
    std::vector<std::size_t> order(counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      return counts[a] != counts[b] ? counts[a] > counts[b] : canonical[a] < canonical[b];
    });
    const bool cut = corpus_.vocabulary > 0 && corpus_.vocabulary < std::ssize(order);
    const Index kept = cut ? corpus_.vocabulary : std::ssize(order);
    std::vector<std::int32_t> names(order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank)
      names[order[rank]] = static_cast<std::int32_t>(std::min(static_cast<Index>(rank), kept));
    for (std::int32_t& id : result_.tokens) id = names[static_cast<std::size_t>(id)];
    result_.vocabulary = kept + (cut ? 1 : 0);
  }

  // `counts`: of the ids of a fixed vocabulary; empty: it has no special ones.
  void name_specials(const std::vector<std::size_t>& counts) {
    const auto name = [&](std::optional<TokenId> own) {
      if (own && counts[*own] == 0) return static_cast<std::int32_t>(*own);
      return static_cast<std::int32_t>(result_.vocabulary++);
    };
    std::optional<TokenId> mask;
    for (std::size_t id = 0; id < counts.size() && !mask; ++id) {
      const std::string text = tokenizer_->text(static_cast<TokenId>(id));
      if (text == "[MASK]" || text == "<mask>") mask = static_cast<TokenId>(id);
    }
    const SpecialTokens specials = tokenizer_->specials();
    result_.mask = name(mask);
    result_.pad = name(specials.padding);
    result_.cls = name(specials.start);
  }

  void name_labels() {
    std::vector<std::int32_t> names(labels_.size());
    for (const auto& [label, id] : labels_) {
      names[static_cast<std::size_t>(id)] = static_cast<std::int32_t>(result_.label_names.size());
      result_.label_names.push_back(label);
    }
    for (std::int32_t& label : result_.labels) label = names[static_cast<std::size_t>(label)];
  }

  const TrialCorpus& corpus_;
  std::uint64_t memory_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<TokenizerSession> session_;
  OpenCorpus input_;
  TokenCorpus result_;
  std::map<std::string, std::int32_t, std::less<>> labels_;  // by first sight
  std::array<std::uint64_t, 2> hash_ = {};
  std::vector<TokenId> ids_;
  Index records_ = 0;
};

void append_sequence(const TokenCorpus& from, std::size_t i, TokenCorpus& to) {
  const auto at = [&](std::size_t start) {
    return from.tokens.begin() + static_cast<std::ptrdiff_t>(start);
  };
  to.tokens.insert(to.tokens.end(), at(from.starts[i]), at(from.starts[i + 1]));
  to.starts.push_back(to.tokens.size());
  if (!from.labels.empty()) to.labels.push_back(from.labels[i]);
}

// Everything but the sequences.
TokenCorpus empty_part(const TokenCorpus& corpus) {
  return {.tokens = {},
          .starts = {0},
          .labels = {},
          .label_names = corpus.label_names,
          .vocabulary = corpus.vocabulary,
          .mask = corpus.mask,
          .pad = corpus.pad,
          .cls = corpus.cls,
          .hash = corpus.hash,
          .source = corpus.source};
}

}  // namespace

std::shared_ptr<const TokenCorpus> read_token_corpus(const TrialCorpus& corpus,
                                                     const CorpusReading& reading) {
  return std::make_shared<const TokenCorpus>(CorpusTokens(corpus, reading).read(reading));
}

std::pair<TokenCorpus, TokenCorpus> split_corpus(const TokenCorpus& corpus, double test_share,
                                                 std::uint64_t seed) {
  require(test_share > 0.0 && test_share < 1.0, "test share", "must be between 0 and 1 but is {}",
          test_share);
  const std::span<const std::int32_t> tokens = corpus.tokens;
  std::vector<std::uint64_t> hashes;
  hashes.reserve(corpus.size());
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    const std::size_t size = corpus.starts[i + 1] - corpus.starts[i];
    hashes.push_back(hash(std::as_bytes(tokens.subspan(corpus.starts[i], size)), seed));
  }
  std::vector<std::uint64_t> different = hashes;
  std::ranges::sort(different);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() < 2)
    fail(ErrorCode::kMalformed, corpus.source,
         "{} different sequence(s); training and test data need one each", different.size());
  const double asked = std::round(test_share * static_cast<double>(different.size()));
  const std::uint64_t last =
      different[std::clamp<std::size_t>(static_cast<std::size_t>(asked), 1, different.size() - 1) -
                1];

  std::pair<TokenCorpus, TokenCorpus> parts = {empty_part(corpus), empty_part(corpus)};
  for (std::size_t i = 0; i < corpus.size(); ++i)
    append_sequence(corpus, i, hashes[i] <= last ? parts.second : parts.first);
  return parts;
}

}  // namespace sextant
