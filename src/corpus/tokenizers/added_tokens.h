// SPDX-License-Identifier: Apache-2.0
// Tokens that are found in the text itself before anything else looks at it, such as [SEP].
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/tokenizers/trie.h"
#include "io/json_input.h"
#include "sextant/corpus.h"

namespace sextant {

struct AddedToken {
  std::string content;
  TokenId id = 0;
  bool strip_left = false, strip_right = false;  // takes the white space beside it
  bool normalized = false;                       // found in the normalized text, not in the raw one
};

// "added_tokens" of a tokenizer.json. Refuses `single_word` by name.
std::vector<AddedToken> added_tokens_from(const JsonNode& array);

// Leftmost match first; of those that start together the longest.
class AddedTokenFinder {
 public:
  AddedTokenFinder() = default;
  explicit AddedTokenFinder(std::vector<AddedToken> tokens);

  bool empty() const { return tokens_.empty(); }

  struct Match {
    std::size_t begin = 0, end = 0;
    TokenId id = 0;
  };
  // The first match that starts at `from` or later; the white space it takes starts there too.
  std::optional<Match> next(std::string_view text, std::size_t from) const;

 private:
  std::size_t next_start(std::string_view text, std::size_t from) const;

  std::vector<AddedToken> tokens_;
  Trie trie_;  // value: place in tokens_
  std::array<bool, 256> starts_ = {};
  std::optional<char> only_start_;
};

}  // namespace sextant
