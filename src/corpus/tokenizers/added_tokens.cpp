// SPDX-License-Identifier: Apache-2.0
// A scan for first bytes, then a walk down the trie: added tokens are few and rare.
#include "corpus/tokenizers/added_tokens.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "corpus/tokenizers/unicode.h"
#include "corpus/tokenizers/vocabulary.h"

namespace sextant {
namespace {

std::size_t white_space_before(std::string_view text, std::size_t end) {
  while (end > 0) {
    std::size_t start = end - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) >> 6) == 2) --start;
    if (!is_white_space(first_code_point(text.substr(start, end - start)).value)) break;
    end = start;
  }
  return end;
}

std::size_t white_space_after(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const CodePoint c = first_code_point(text.substr(begin));
    if (!is_white_space(c.value)) break;
    begin += c.size;
  }
  return begin;
}

}  // namespace

std::vector<AddedToken> added_tokens_from(const JsonNode& array) {
  std::vector<AddedToken> tokens;
  bool strips = false;
  for (std::size_t i = 0; i < array.size(); ++i) {
    const JsonNode node = array.at(i);
    const Index id = node.at("id").integer();
    if (id < 0 || id >= kMostTokens)
      node.fail_here("the id must be from 0 to {} but is {}", kMostTokens - 1, id);
    AddedToken token = {.content = node.at("content").text(),
                        .id = static_cast<TokenId>(id),
                        .strip_left = node.flag_or("lstrip", false),
                        .strip_right = node.flag_or("rstrip", false),
                        .normalized = node.flag_or("normalized", !node.flag_or("special", false))};
    if (token.content.empty()) node.fail_here("the added token is empty");
    if (node.flag_or("single_word", false))
      node.fail_here("single_word of the added token '{}' is not supported",
                     escaped(token.content));
    const auto same = [&](const AddedToken& other) {
      return other.content == token.content || other.id == token.id;
    };
    if (std::ranges::any_of(tokens, same))
      node.fail_here("the added token '{}' with id {} is there twice", escaped(token.content), id);
    strips = strips || token.strip_left || token.strip_right;
    tokens.push_back(std::move(token));
  }
  for (std::size_t i = 0; strips && i < tokens.size(); ++i) {
    const std::string& content = tokens[i].content;
    if (white_space_after(content, 0) != 0 ||
        white_space_before(content, content.size()) != content.size())
      array.at(i).fail_here(
          "lstrip and rstrip beside an added token that is or ends in white "
          "space are not supported");
  }
  return tokens;
}

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string& content = tokens_[i].content;
    trie_.add(content, static_cast<TokenId>(i));
    starts_[static_cast<unsigned char>(content.front())] = true;
  }
  if (std::ranges::count(starts_, true) == 1) only_start_ = tokens_.front().content.front();
}

std::size_t AddedTokenFinder::next_start(std::string_view text, std::size_t from) const {
  if (only_start_) return text.find(*only_start_, from);
  while (from < text.size() && !starts_[static_cast<unsigned char>(text[from])]) ++from;
  return from < text.size() ? from : text.npos;
}

std::optional<AddedTokenFinder::Match> AddedTokenFinder::next(std::string_view text,
                                                              std::size_t from) const {
  if (tokens_.empty()) return std::nullopt;
  for (std::size_t at = next_start(text, from); at != text.npos; at = next_start(text, at + 1)) {
    const Trie::Match found = trie_.longest(text.substr(at));
    if (found.token == Trie::kNoToken) continue;
    const AddedToken& token = tokens_[found.token];
    Match match = {at, at + found.size, token.id};
    if (token.strip_left) match.begin = std::max(from, white_space_before(text, at));
    if (token.strip_right) match.end = white_space_after(text, match.end);
    return match;
  }
  return std::nullopt;
}

}  // namespace sextant
