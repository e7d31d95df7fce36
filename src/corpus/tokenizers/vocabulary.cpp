// SPDX-License-Identifier: Apache-2.0
// Every list is checked as a whole before a token of it is used.
#include "corpus/tokenizers/vocabulary.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "corpus/utf8.h"
#include "io/input_file.h"

namespace sextant {

std::optional<TokenId> Vocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

bool Vocabulary::append(std::string token) {
  const auto id = static_cast<TokenId>(tokens_.size());
  tokens_.push_back(std::move(token));
  return ids_.emplace(tokens_.back(), id).second;
}

Vocabulary vocabulary_from(const JsonNode& object, std::vector<NamedId> others) {
  std::vector<NamedId> all = std::move(others);
  const std::size_t extra = all.size();
  for (const auto& [token, node] : object.members()) {
    const Index id = node.integer();
    if (id < 0 || id >= kMostTokens)
      node.fail_here("the id must be from 0 to {} but is {}", kMostTokens - 1, id);
    if (token.size() > kMostTokenBytes)
      node.fail_here("the token has {} bytes, above the limit of {}", token.size(),
                     kMostTokenBytes);
    all.push_back({token, id});
  }
  if (all.size() == extra) object.fail_here("the vocabulary is empty");
  std::ranges::sort(all, {}, &NamedId::id);
  Vocabulary vocabulary;
  for (const NamedId& each : all) {
    if (each.id < vocabulary.size())
      object.fail_here("id {} belongs to both '{}' and '{}'", each.id,
                       escaped(vocabulary.text(static_cast<TokenId>(each.id))),
                       escaped(each.token));
    if (each.id > vocabulary.size())
      object.fail_here("id {} is missing; ids must be 0 to {}", vocabulary.size(), all.size() - 1);
    if (!vocabulary.append(each.token))
      object.fail_here("the token '{}' has two ids", escaped(each.token));
  }
  return vocabulary;
}

Vocabulary read_vocabulary_lines(const std::filesystem::path& path,
                                 std::vector<std::string>& notes) {
  const std::string bytes = read_whole(path, kMostTokenizerBytes);
  const std::string file = path_text(path);
  std::string_view rest = bytes;
  constexpr std::string_view kBom = "\xef\xbb\xbf";
  if (rest.starts_with(kBom)) {
    rest.remove_prefix(kBom.size());
    notes.push_back("vocabulary: byte order mark stripped");
  }
  Vocabulary vocabulary;
  Index blank = 0, returns = 0;
  while (!rest.empty()) {
    const std::string place = fmt::format("{}:{}", file, vocabulary.size() + 1);
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
      ++returns;
    }
    if (vocabulary.size() == kMostTokens)
      fail(ErrorCode::kMalformed, place, "more than {} tokens", kMostTokens);
    if (line.size() > kMostTokenBytes)
      fail(ErrorCode::kMalformed, place, "the token has {} bytes, above the limit of {}",
           line.size(), kMostTokenBytes);
    if (const auto fault = first_utf8_fault(line))
      fail(ErrorCode::kMalformed, fmt::format("{}:{}", place, fault->at + 1),
           "the token is not UTF-8");
    const std::optional<TokenId> first = vocabulary.find(line);
    if (first && !line.empty())
      fail(ErrorCode::kMalformed, place, "the token '{}' is also on line {}", escaped(line),
           *first + 1);
    blank += line.empty() ? 1 : 0;
    vocabulary.append(std::string(line));
  }
  if (returns > 0) notes.push_back(fmt::format("vocabulary: {} CRLF line ends", returns));
  if (blank > 0)
    notes.push_back(
        fmt::format("vocabulary: {} blank lines keep their ids but match nothing", blank));
  return vocabulary;
}

}  // namespace sextant
