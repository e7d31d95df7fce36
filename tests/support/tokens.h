// SPDX-License-Identifier: Apache-2.0
// Short ways to ask a tokenizer, and files of tiny vocabularies.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/corpus.h"

namespace sextant {

inline constexpr Index kAllIds = std::numeric_limits<Index>::max();

inline std::vector<TokenId> ids_of(TokenizerSession& session, std::string_view text,
                                   Index most = kAllIds) {
  std::vector<TokenId> ids;
  session.encode(text, most, ids);
  return ids;
}

inline std::vector<TokenId> ids_of(const Tokenizer& tokenizer, std::string_view text,
                                   Index most = kAllIds) {
  return ids_of(*tokenizer.session(), text, most);
}

inline std::vector<std::string> tokens_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> tokens;
  for (const TokenId id : ids_of(tokenizer, text)) tokens.push_back(tokenizer.text(id));
  return tokens;
}

// The symbols of GPT-2's alphabet: printable Latin-1 for itself, the others from U+0100 on.
inline std::vector<std::string> byte_alphabet() {
  std::vector<std::string> symbols;
  unsigned next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte != 173);
    const unsigned c = printable ? byte : next++;
    if (c < 0x80)
      symbols.push_back({static_cast<char>(c)});
    else
      symbols.push_back({static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))});
  }
  return symbols;
}

// A byte-level BPE whose ids are: the bytes in order of their values, then one per merge.
inline nlohmann::json byte_level_json(const std::vector<std::string>& merges) {
  nlohmann::json vocabulary;
  Index next = 0;
  for (const std::string& symbol : byte_alphabet()) vocabulary[symbol] = next++;
  for (std::string merge : merges) {
    merge.erase(merge.find(' '), 1);
    vocabulary[merge] = next++;
  }
  return {{"added_tokens", nlohmann::json::array()},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
          {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}}};
}

inline nlohmann::json wordpiece_json(const std::vector<std::string>& tokens) {
  nlohmann::json vocabulary = nlohmann::json::object();
  for (std::size_t i = 0; i < tokens.size(); ++i) vocabulary[tokens[i]] = i;
  return {{"added_tokens", nlohmann::json::array()},
          {"normalizer", {{"type", "BertNormalizer"}, {"lowercase", true}}},
          {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
          {"model", {{"type", "WordPiece"}, {"vocab", vocabulary}}}};
}

}  // namespace sextant
