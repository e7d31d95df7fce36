// SPDX-License-Identifier: Apache-2.0
// A fixed list of tokens: ids are places in the list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/tokenizers/token_hash.h"
#include "io/json_input.h"
#include "sextant/corpus.h"

namespace sextant {

inline constexpr Index kMostTokens = Index{1} << 24;
inline constexpr std::size_t kMostTokenBytes = 1024;
inline constexpr std::uint64_t kMostTokenizerBytes = std::uint64_t{1} << 26;  // of one file

class Vocabulary {
 public:
  Index size() const { return static_cast<Index>(tokens_.size()); }
  const std::string& text(TokenId id) const { return tokens_.at(id); }
  std::optional<TokenId> find(std::string_view token) const;

  // Appends; false when the token is already there (then its id stays what it was, but a place in
  // the list is taken all the same, as for the blank lines of a vocab.txt).
  bool append(std::string token);

 private:
  std::vector<std::string> tokens_;
  TokenMap<TokenId> ids_;
};

struct NamedId {
  std::string token;
  Index id;
};
// {"token": id, ...}. Together with `others` the ids must be 0..n-1, each once, and every token
// must have one; kMalformed with the JSON pointer otherwise.
Vocabulary vocabulary_from(const JsonNode& object, std::vector<NamedId> others);

// One token a line: vocab.txt of BERT. Notes what it had to strip.
Vocabulary read_vocabulary_lines(const std::filesystem::path& path,
                                 std::vector<std::string>& notes);

}  // namespace sextant
