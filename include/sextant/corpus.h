// SPDX-License-Identifier: Apache-2.0
// From text to integer counts of tokens at positions.
//
// Reading and counting stream: memory does not grow with the corpus, only with the number of
// different (token, position) cells. Everything that is counted is an integer, so that any order of
// reading, any number of threads and any cut into shards give the same counts.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

// ---------------------------------------------------------------------------------------------
// Reading

enum class RecordFormat { kAuto, kText, kTsv, kCsv, kJsonl };  // kAuto: by the file's extension
enum class InvalidBytes { kError, kReplace, kBytes };          // what to do with bytes not UTF-8

// One of `count` parts whose union is the whole input, each record in one of them. Files that can
// be cut are cut by bytes at the ends of lines, so that a part is read without the others:
// docs/counts.md.
struct Shard {
  Index index = 0, count = 1;  // 0 <= index < count <= kMostShards
  bool operator==(const Shard&) const = default;
};
inline constexpr Index kMostShards = Index{1} << 20;

// Which part of the input is text. A column is a number from 1, or a name: then the first row is a
// header and not a record.
struct RecordOptions {
  RecordFormat format = RecordFormat::kAuto;
  std::string text_column = {};           // tsv and csv; empty: the last
  std::string text_field = "text";        // jsonl
  std::string group_column = {};          // tsv, csv: column; jsonl: field. Empty: no groups
  std::string_view group_role = "group";  // what messages call it
  InvalidBytes invalid = InvalidBytes::kError;
  Index skip_bad = 0;               // bad records to leave out before one stops the run
  std::optional<Index> limit = {};  // records to read
  std::uint64_t most_bytes = std::uint64_t{1} << 40;  // decompressed, of one file
  Shard shard = {};
};

// ---------------------------------------------------------------------------------------------
// Tokens

using TokenId = std::uint32_t;

struct SpecialTokens {
  std::optional<TokenId> start, end, padding;  // [CLS], [SEP], [PAD] where the vocabulary has them
};

// What one thread needs to turn text into ids. Not shared between threads.
class TokenizerSession {
 public:
  virtual ~TokenizerSession() = default;

  // Appends the ids of `text`, without special tokens. May stop as soon as it has appended `most`
  // ids or more (it cuts them to `most`). `text` is valid UTF-8 unless the tokenizer is bytes.
  virtual void encode(std::string_view text, Index most, std::vector<TokenId>& ids) = 0;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  virtual std::string_view name() const = 0;  // "words", "wordpiece", ... for reports; no path
  virtual std::unique_ptr<TokenizerSession> session() const = 0;
  virtual SpecialTokens specials() const { return {}; }

  // Ids in use are below this. A tokenizer without a fixed list (words) grows while it reads.
  virtual Index vocabulary() const = 0;
  // Also while sessions in other threads encode.
  virtual std::string text(TokenId id) const = 0;

  // The id that each id has in the order of the tokens' bytes, for tokenizers whose ids depend on
  // the order of reading; empty where ids are fixed.
  virtual std::vector<TokenId> canonical_ids() const { return {}; }
  // For a resumed run: the tokens of a growing vocabulary in the order of their ids.
  virtual std::vector<std::string> learned_tokens() const { return {}; }
  virtual void restore(std::span<const std::string> tokens);  // kInternal unless it grows

  // Things worth telling: stripped CRLF, ignored truncation settings.
  virtual std::vector<std::string> notes() const { return {}; }
};

// words | bytes | wordpiece:VOCAB | gpt2:DIR | tokenizer:FILE.json | sentencepiece:FILE.model.
// Throws kUsage for another text, kUnreadable and kMalformed for the files behind it.
std::unique_ptr<Tokenizer> make_tokenizer(std::string_view text);

// ---------------------------------------------------------------------------------------------
// Counts

// Every sequence belongs to one of 64 blocks by a hash of its text (or of its group).
inline constexpr Index kBlocks = 64;

// One counted cell. `layer` is the block of the real counts, or the number of a shuffle.
struct Cell {
  TokenId token = 0;
  std::uint32_t position = 0;
  std::uint32_t layer = 0;
  std::uint64_t count = 0;
};

// The numbers by which cells are ordered: token, position and layer from high bits to low.
class CellKeys {
 public:
  CellKeys(Index positions, Index layers)
      : position_shift_(width(layers)), token_shift_(position_shift_ + width(positions)) {}

  // Where a cell stands among those of its token.
  std::uint32_t place(std::uint32_t position, std::uint32_t layer) const {
    return position << position_shift_ | layer;
  }
  std::uint32_t position_of(std::uint32_t place) const { return place >> position_shift_; }
  std::uint32_t layer_of(std::uint32_t place) const {
    return place & ((1U << position_shift_) - 1);
  }
  std::uint64_t places() const { return std::uint64_t{1} << token_shift_; }  // of one token

  std::uint64_t key(TokenId token, std::uint64_t place) const {
    return std::uint64_t{token} << token_shift_ | place;
  }
  TokenId token_of(std::uint64_t key) const { return static_cast<TokenId>(key >> token_shift_); }
  std::uint32_t place_of(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & (places() - 1));
  }
  Cell cell(std::uint64_t key, std::uint64_t count) const {
    const std::uint32_t place = place_of(key);
    return {.token = token_of(key),
            .position = position_of(place),
            .layer = layer_of(place),
            .count = count};
  }

 private:
  static unsigned width(Index size) {
    return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(size - 1)));
  }

  unsigned position_shift_, token_shift_;
};

// Reads packed cells without checks: they come from us or through CellCounts::from_packed().
struct PackedCursor {
  explicit PackedCursor(std::span<const std::byte> packed)
      : at(packed.data()), end(at + packed.size()) {}
  bool next() {
    if (at == end) return false;
    const std::uint64_t head = varint();
    key += (head >> 1) + 1;
    count = (head & 1) != 0 ? varint() + 2 : 1;
    return true;
  }
  std::uint64_t varint() {
    auto byte = static_cast<std::uint64_t>(*at++);
    std::uint64_t value = byte & 127;
    for (unsigned shift = 7; byte >= 128; shift += 7) {
      byte = static_cast<std::uint64_t>(*at++);
      value |= (byte & 127) << shift;
    }
    return value;
  }

  const std::byte* at;
  const std::byte* end;
  std::uint64_t key = ~std::uint64_t{0}, count = 0;  // of the last cell
};

// Integer counts in order of (token, position, layer), packed as differences: two to three bytes a
// cell. What is added gathers per token, as a list of places or, where that is smaller, as an array
// of counters; flush() packs it.
class CellCounts {
 public:
  static constexpr std::uint32_t kMostTokens = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kMostPositions = std::uint32_t{1} << 24;
  static constexpr std::uint32_t kMostLayers = std::uint32_t{1} << 8;

  CellCounts() : CellCounts(kMostPositions, kMostLayers) {}
  CellCounts(Index positions, Index layers);  // kUsage beyond the limits above

  // Where a cell stands among those of its token.
  std::uint32_t place(std::uint32_t position, std::uint32_t layer) const {
    return keys_.place(position, layer);
  }
  // Adds one to the cell of `token` at each of the places: the more places at once, the faster.
  // REQUIRES: token, positions and layers below their limits.
  void add(TokenId token, std::span<const std::uint32_t> places);
  void add(TokenId token, std::uint32_t position, std::uint32_t layer) {
    const std::uint32_t one = place(position, layer);
    add(token, std::span(&one, 1));
  }
  // Starts to load what add() of this token will touch.
  void expect(TokenId token) const {
    if (token >= columns_.size()) return;
    const Column& column = columns_[token];
    if (!column.dense) __builtin_prefetch(column.values.data() + column.values.size(), 1);
  }
  // REQUIRES: flush() of `other`; both of one shape, or this one empty.
  void merge(const CellCounts& other);
  // The same with token t called names[t] here and other_names[t] there; no names: as it is called.
  // Needs no more memory than both and their sum. REQUIRES: flush(); one shape; names ascend.
  // Throws kMalformed for a token without a name, kRefused for a sum above 2^63.
  void merge(const CellCounts& other, std::span<const TokenId> names,
             std::span<const TokenId> other_names);
  void flush();

  // Every cell once, in order. REQUIRES: flush() after the last add().
  template <typename Visit>
  void for_each(Visit&& visit) const {
    PackedCursor cursor(packed_);
    while (cursor.next()) visit(keys_.cell(cursor.key, cursor.count));
  }
  // All cells with token t called names[t]. REQUIRES: flush(); `names` has no name twice.
  CellCounts renamed(std::span<const TokenId> names) const;

  Index positions() const { return positions_; }
  Index layers() const { return layers_; }
  Index cells() const { return cells_; }
  std::uint64_t bytes() const { return packed_.capacity() + gathered_bytes_; }  // of memory
  // Packs as soon as what was gathered takes more memory than this, and more than what is packed.
  void set_gather_limit(std::uint64_t bytes) { gather_limit_ = bytes; }

  std::span<const std::byte> packed() const { return packed_; }
  static CellCounts from_packed(Index positions, Index layers, std::vector<std::byte> packed,
                                Index cells);  // kMalformed

 private:
  // Adds of one token: a list of places, or one counter for each of positions x layers.
  struct Column {
    std::vector<std::uint32_t> values;
    bool dense = false;
  };

  // The counter of a place in a dense column: position by position, as cells are packed.
  std::size_t counter(std::uint32_t place) const {
    return keys_.position_of(place) * static_cast<std::size_t>(layers_) + keys_.layer_of(place);
  }
  std::uint64_t places() const { return static_cast<std::uint64_t>(positions_ * layers_); }
  void grow(Column& column, std::size_t more);
  void make_dense(Column& column);
  class Packer;
  struct Scratch;
  void pack(Column& column, TokenId token, Scratch& scratch, Packer& packer) const;
  void merge_packed(std::span<const std::byte> other);
  template <typename Put>
  void visit_sum(const CellCounts& other, std::span<const TokenId> names,
                 std::span<const TokenId> other_names, Put&& put) const;

  Index positions_, layers_;
  CellKeys keys_;
  std::vector<std::byte> packed_;
  Index cells_ = 0;
  std::vector<Column> columns_;  // by token
  std::uint64_t gathered_ = 0, gathered_bytes_ = 0;
  std::uint64_t gather_limit_ = std::uint64_t{256} << 20;
};

// Which sequences count. Special tokens are part of a sequence, padding is not.
enum class LengthRule {
  kAtLeast,  // those with at least `positions` tokens, by their first `positions`
  kAny,      // all that are not empty: later positions have fewer sequences
  kPadded,   // all; [PAD] fills up
};
// kBert: [CLS] tokens [SEP]. Where a sequence is cut, [SEP] is cut off with the rest (kAtLeast,
// kAny), or the tokens are cut so that it stays (kPadded, windows).
enum class Specials { kNone, kBert };

struct CountOptions {
  Index positions = 64;
  LengthRule length = LengthRule::kAtLeast;
  Specials specials = Specials::kNone;
  bool windows = false;  // cut documents into windows of `positions` tokens; each is a sequence,
                         // all in the block and in the group of their document
  Index shuffles = 20;
  std::uint64_t seed = 1;
  bool operator==(const CountOptions&) const = default;
};

// How much of a corpus repeats itself, from a sample of eight-token runs chosen by their hashes.
struct Overlap {
  Index runs = 0;      // different runs in the sample
  Index repeated = 0;  // of these, found in more than one group
  bool operator==(const Overlap&) const = default;
};

// One run of the sample: the least hash of the groups that have it, and whether there are others.
struct SampledRun {
  std::uint64_t run = 0, group = 0;
  bool repeated = false;
  bool operator==(const SampledRun&) const = default;
};

// Everything that geometry needs to know of a corpus; nothing needs the text again.
//
// Special tokens that a vocabulary lacks have the ids from its end on: Tokenizer::vocabulary() is
// [CLS], then [SEP], then [PAD].
struct PositionalCounts {
  CountOptions options = {};
  CellCounts blocks;    // layer = block
  CellCounts shuffled;  // layer = number of the shuffle
  std::vector<std::array<std::int64_t, kBlocks>> sequences_at = {};  // [positions]: N_i by block
  // Sequences by length, [positions + 1]; the last also has all that are longer. Also those that do
  // not count.
  std::vector<std::int64_t> lengths = {};
  std::int64_t records = 0;           // read
  std::int64_t sequences = 0;         // read: records, or windows of them
  std::int64_t used = 0;              // that count
  std::int64_t tokens = 0;            // counted, without padding
  std::int64_t skipped = 0;           // bad records left out
  std::vector<SampledRun> runs = {};  // the sample, smallest hashes first
  Overlap overlap = {};
  std::array<std::uint64_t, 2> input_hash = {};  // order-free sums of the records' hashes
  std::string tokenizer = {};
  std::uint64_t tokenizer_hash = 0;  // of its name and of the vocabulary that it starts with
  Index vocabulary = 0;              // different tokens counted
};

}  // namespace sextant
