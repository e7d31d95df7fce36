// SPDX-License-Identifier: Apache-2.0
// From text to integer counts of tokens at positions.
//
// Reading and counting stream: memory does not grow with the corpus, only with the number of
// different (token, position) cells. Everything that is counted is an integer, so that any order of
// reading, any number of threads and any cut into shards give the same counts.
#pragma once

#include <array>
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

// Which part of the input is text. A column is a number from 1, or a name: then the first row is a
// header and not a record.
struct RecordOptions {
  RecordFormat format = RecordFormat::kAuto;
  std::string text_column = {};         // tsv and csv; empty: the last
  std::string text_field = "text";      // jsonl
  std::string group_column = {};        // tsv, csv: column; jsonl: field. Empty: no groups
  InvalidBytes invalid = InvalidBytes::kError;
  Index skip_bad = 0;                   // bad records to leave out before one stops the run
  std::optional<Index> limit = {};      // records to read
  std::uint64_t most_bytes = std::uint64_t{1} << 40;  // decompressed, of one file
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

// Integer counts in order of (token, position, layer), packed as differences: about four bytes a
// cell. Adding is cheap: cells gather in a buffer that is sorted and merged when full.
class CellCounts {
 public:
  static constexpr std::uint32_t kMostPositions = std::uint32_t{1} << 24;
  static constexpr std::uint32_t kMostLayers = std::uint32_t{1} << 8;

  void add(TokenId token, std::uint32_t position, std::uint32_t layer) {
    pending_.push_back(key(token, position, layer));
    if (pending_.size() == kPending) flush();
  }
  void merge(const CellCounts& other);
  void flush();

  // Every cell once, in order. REQUIRES: flush() after the last add().
  void for_each(const std::function<void(const Cell&)>& visit) const;
  // All cells with tokens renamed. REQUIRES: `names` is a permutation.
  CellCounts renamed(std::span<const TokenId> names) const;

  Index cells() const { return cells_; }
  std::uint64_t bytes() const;  // of memory
  std::span<const std::byte> packed() const { return packed_; }
  static CellCounts from_packed(std::vector<std::byte> packed, Index cells);  // kMalformed

 private:
  static constexpr std::size_t kPending = std::size_t{1} << 20;
  static std::uint64_t key(TokenId token, std::uint32_t position, std::uint32_t layer) {
    return std::uint64_t{token} << 32 | std::uint64_t{position} << 8 | layer;
  }

  std::vector<std::byte> packed_;
  std::vector<std::uint64_t> pending_;
  Index cells_ = 0;
};

enum class LengthRule { kAtLeast, kAny, kPadded };
enum class Specials { kNone, kBert };

struct CountOptions {
  Index positions = 64;
  LengthRule length = LengthRule::kAtLeast;
  Specials specials = Specials::kNone;
  bool windows = false;  // cut documents into windows of `positions` tokens, one group each
  Index shuffles = 20;
  std::uint64_t seed = 1;
};

// How much of a corpus repeats itself, from a sample of eight-token runs chosen by their hashes.
struct Overlap {
  Index runs = 0;       // different runs in the sample
  Index repeated = 0;   // of these, found in more than one group
};

// Everything that geometry needs to know of a corpus; nothing needs the text again.
struct PositionalCounts {
  CountOptions options = {};
  CellCounts blocks;    // layer = block
  CellCounts shuffled;  // layer = number of the shuffle
  std::vector<std::array<std::int64_t, kBlocks>> sequences_at;  // [positions]: N_i by block
  std::vector<std::int64_t> lengths;  // sequences by length in tokens, 0..positions (or more)
  std::int64_t sequences = 0;         // read
  std::int64_t used = 0;              // that count
  std::int64_t tokens = 0;            // counted
  std::int64_t skipped = 0;           // bad records left out
  Overlap overlap = {};
  std::array<std::uint64_t, 2> input_hash = {};  // order-free sum of the records' hashes
  std::string tokenizer;
  Index vocabulary = 0;  // different tokens counted
};

}  // namespace sextant
