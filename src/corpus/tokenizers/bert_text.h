// SPDX-License-Identifier: Apache-2.0
// BERT's basic tokenizer: what happens to text before WordPiece sees words.
//
// In order: control characters go and white space becomes blanks (clean_text), ideographs get
// blanks around them (split_ideographs), canonical decomposition without nonspacing marks
// (strip_accents), lower case of each character. Then words end at white space, and every
// punctuation sign is a word.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

struct BertOptions {
  bool clean_text = true;
  bool split_ideographs = true;
  bool strip_accents = true;
  bool lower = true;
};

class BertText {
 public:
  explicit BertText(const BertOptions& options);

  // What an ASCII byte is, and whether anything but ASCII begins. A run of kLetter bytes between
  // kBlank and kSign bytes (or the ends of the text) is a word but for its case.
  enum class Kind : std::uint8_t { kLetter, kBlank, kSign, kOther };
  Kind kind(char byte) const { return kinds_[static_cast<unsigned char>(byte)]; }

  const BertOptions& options() const { return options_; }

  // Appends `text` normalized.
  void normalize(std::string_view text, std::string& out);

 private:
  void clean(std::string_view text);

  BertOptions options_;
  std::array<Kind, 256> kinds_ = {};
  std::vector<char32_t> cleaned_, decomposed_;
};

// The first word of normalized text at `at` or after it: its bytes, empty when there is none.
std::string_view next_bert_word(std::string_view text, std::size_t at);

}  // namespace sextant
