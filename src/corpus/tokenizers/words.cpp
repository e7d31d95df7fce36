// SPDX-License-Identifier: Apache-2.0
// Words between white space, in simple lower case. The vocabulary grows while sessions read.
//
// Ids are given in the order of first sight, which depends on threads; canonical_ids() renames them
// by the bytes of the words, which does not.
#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <numeric>
#include <shared_mutex>

#include "base/check.h"
#include "corpus/tokenizers/token_hash.h"
#include "corpus/tokenizers/tokenizers.h"
#include "corpus/tokenizers/unicode.h"
#include "corpus/tokenizers/word_cache.h"
#include "corpus/tokenizers/word_table.h"

namespace sextant {
namespace {

// Many readers, few writers: lookups lock one of 64 parts, new words also the list of names.
class GrowingVocabulary {
 public:
  TokenId id_of(std::string_view word) {
    const std::uint64_t both = hash_bytes(word, seed_);
    Part& part = parts_[both >> 58];
    const auto hash = static_cast<std::uint32_t>(both);
    {
      const std::shared_lock lock(part.mutex);
      if (const auto id = part.words.find(word, hash)) return *id;
    }
    const std::unique_lock lock(part.mutex);
    if (const auto id = part.words.find(word, hash)) return *id;
    const std::string_view kept = part.words.keep(word);
    const TokenId id = named(kept);
    part.words.insert(kept, hash, id);
    return id;
  }

  Index size() const {
    const std::shared_lock lock(names_mutex_);
    return static_cast<Index>(names_.size());
  }

  std::string text(TokenId id) const {
    const std::shared_lock lock(names_mutex_);
    return std::string(names_.at(id));
  }

  std::vector<std::string> tokens() const {
    const std::shared_lock lock(names_mutex_);
    std::vector<std::string> all;
    all.reserve(names_.size());
    for (const std::string_view name : names_) all.emplace_back(name);
    return all;
  }

  std::vector<TokenId> canonical_ids() const {
    const std::shared_lock lock(names_mutex_);
    std::vector<TokenId> order(names_.size());
    std::iota(order.begin(), order.end(), TokenId{0});
    std::ranges::sort(order, [&](TokenId a, TokenId b) { return names_[a] < names_[b]; });
    std::vector<TokenId> ranks(order.size());
    for (std::size_t rank = 0; rank < order.size(); ++rank)
      ranks[order[rank]] = static_cast<TokenId>(rank);
    return ranks;
  }

 private:
  struct Part {
    std::shared_mutex mutex;
    WordTable words;
  };

  TokenId named(std::string_view name) {
    const std::unique_lock lock(names_mutex_);
    if (names_.size() == std::numeric_limits<TokenId>::max())
      fail(ErrorCode::kRefused, "words", "more than {} different words", names_.size());
    names_.push_back(name);
    return static_cast<TokenId>(names_.size() - 1);
  }

  std::uint64_t seed_ = hash_seed();
  std::array<Part, 64> parts_;  // by the top six bits of the hash
  mutable std::shared_mutex names_mutex_;
  std::vector<std::string_view> names_;  // the bytes are in parts_
};

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

class WordsSession final : public TokenizerSession {
 public:
  explicit WordsSession(GrowingVocabulary& words) : words_(words) {}

  void encode(std::string_view text, Index most, std::vector<TokenId>& ids) override {
    std::size_t at = 0;
    for (auto left = static_cast<std::size_t>(most); left > 0;) {
      while (at < text.size() && is_blank(text[at])) ++at;
      if (at == text.size()) break;
      std::size_t end = at + run_size<ascii_graphics>(text.substr(at));
      while (end < text.size() && !is_blank(text[end]) && is_ascii(text[end])) ++end;
      const bool ascii = end == text.size() || is_ascii(text[end]);
      if (ascii && end - at <= ShortWord::kMostBytes) {
        cache_.push(ShortWord::from(text.substr(at), end - at).lowered());
        if (cache_.full()) append_waiting(ids);
        --left;
      } else {
        append_waiting(ids);
        const std::size_t before = ids.size();
        end = any_word(text, at, ids);
        left -= ids.size() - before;
      }
      at = end;
    }
    append_waiting(ids);
  }

 private:
  void append_waiting(std::vector<TokenId>& ids) {
    cache_.append_waiting(ids.max_size(), ids,
                          [&](std::string_view word) { ids.push_back(words_.id_of(word)); });
  }

  // The word at `at`, if one starts there; returns where to go on.
  std::size_t any_word(std::string_view text, std::size_t at, std::vector<TokenId>& ids) {
    lowered_.clear();
    while (at < text.size()) {
      const CodePoint c = first_code_point(text.substr(at));
      at += c.size;
      if (is_white_space(c.value)) break;
      append_utf8(simple_lower(c.value), lowered_);
    }
    if (!lowered_.empty()) ids.push_back(words_.id_of(lowered_));
    return at;
  }

  GrowingVocabulary& words_;
  WordCache cache_{2 * WordCache::kSets};  // words with their commas are many
  std::string lowered_;
};

class WordsTokenizer final : public Tokenizer {
 public:
  std::string_view name() const override { return "words"; }
  std::unique_ptr<TokenizerSession> session() const override {
    return std::make_unique<WordsSession>(words_);
  }
  Index vocabulary() const override { return words_.size(); }
  std::string text(TokenId id) const override { return words_.text(id); }
  std::vector<TokenId> canonical_ids() const override { return words_.canonical_ids(); }
  std::vector<std::string> learned_tokens() const override { return words_.tokens(); }
  void restore(std::span<const std::string> tokens) override {
    if (words_.size() != 0)
      fail(ErrorCode::kInternal, "words", "restored after {} words were read", words_.size());
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (words_.id_of(tokens[i]) != i)
        fail(ErrorCode::kCheckpoint, "words", "the word of id {} is there twice", i);
  }

 private:
  mutable GrowingVocabulary words_;  // sessions of a const tokenizer add to it; it locks itself
};

}  // namespace

std::unique_ptr<Tokenizer> make_words_tokenizer() { return std::make_unique<WordsTokenizer>(); }

}  // namespace sextant
