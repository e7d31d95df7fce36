// SPDX-License-Identifier: Apache-2.0
// Raw added tokens cut the raw text, the others cut what the normalizer makes of each piece.
#include "corpus/tokenizers/piece_tokenizer.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/text.h"

namespace sextant {

SpecialTokens PieceTokenizer::specials() const {
  const Vocabulary& tokens = parts_.vocabulary;
  return {tokens.find("[CLS]"), tokens.find("[SEP]"), tokens.find("[PAD]")};
}

std::string_view PieceTokenizer::normalized(std::string_view piece, std::string& /*buffer*/) const {
  return piece;
}

void PieceTokenizer::prepare_added_tokens() {
  std::vector<AddedToken> raw, later;
  for (AddedToken& token : parts_.added) {
    if (!token.normalized) {
      raw.push_back(token);
      continue;
    }
    std::string buffer;
    token.content = normalized(token.content, buffer);
    if (token.content.empty())
      fail(ErrorCode::kMalformed, parts_.file, "added token {} is empty once normalized", token.id);
    later.push_back(token);
  }
  raw_ = AddedTokenFinder(std::move(raw));
  normalized_ = AddedTokenFinder(std::move(later));
}

template <typename Plain>
void PieceSession::walk(std::string_view text, const AddedTokenFinder& finder, IdSink& sink,
                        const Plain& plain) {
  std::size_t at = 0;
  while (at < text.size() && !sink.full()) {
    const auto match = finder.next(text, at);
    const std::size_t end = match ? match->begin : text.size();
    if (end > at) plain(text.substr(at, end - at), at == 0);
    if (!match || sink.full()) return;
    sink.ids.push_back(match->id);
    at = match->end;
  }
}

void PieceSession::encode(std::string_view text, Index most, std::vector<TokenId>& ids) {
  const std::size_t room = ids.max_size() - ids.size();
  IdSink sink = {ids, ids.size() + std::min(room, static_cast<std::size_t>(most))};
  text_ = text;
  walk(text, tokenizer_.raw_finder(), sink, [&](std::string_view raw, bool starts) {
    const std::string_view piece = tokenizer_.normalized(raw, buffer_);
    walk(piece, tokenizer_.normalized_finder(), sink,
         [&](std::string_view plain, bool first) { encode_piece(plain, starts && first, sink); });
  });
  if (ids.size() > sink.most) ids.resize(sink.most);
}

void PieceSession::fail_unknown(std::string_view word) const {
  const auto offset = text_.find(word);
  const std::string place =
      offset == text_.npos ? "" : fmt::format(" (offset {} of the text)", offset);
  fail(ErrorCode::kMalformed, tokenizer_.file(),
       "the text has '{}'{}, for which there is no token, and the vocabulary has no unknown token",
       escaped(word), place);
}

}  // namespace sextant
