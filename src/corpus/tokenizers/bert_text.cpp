// SPDX-License-Identifier: Apache-2.0
// Character by character, as the reference does it; ASCII words never come here.
#include "corpus/tokenizers/bert_text.h"

#include <algorithm>

#include "corpus/tokenizers/bert_categories.h"
#include "corpus/tokenizers/unicode.h"

namespace sextant {
namespace {

constexpr char32_t kReplacement = 0xfffd;

struct Block {
  char32_t first, last;
};
// The reference starts extension E at 2B920, not at 2B820.
constexpr std::array<Block, 7> kIdeographs = {{{0x3400, 0x4dbf},
                                               {0x4e00, 0x9fff},
                                               {0xf900, 0xfaff},
                                               {0x20000, 0x2a6df},
                                               {0x2a700, 0x2b81f},
                                               {0x2b920, 0x2ceaf},
                                               {0x2f800, 0x2fa1f}}};

bool is_ideograph(char32_t c) {
  return std::ranges::any_of(kIdeographs,
                             [c](const Block& b) { return c >= b.first && c <= b.last; });
}

bool is_dropped(char32_t c) {
  if (c == U'\t' || c == U'\n' || c == U'\r') return false;
  return c == 0 || c == kReplacement || bert_is_other(c);
}

// Canonical decompositions that came with Unicode 13 and later; the reference has those of 12.
bool decomposes_since_13(char32_t c) {
  constexpr std::array<Block, 9> kNew = {{{0x105c9, 0x105c9},
                                          {0x105e4, 0x105e4},
                                          {0x11383, 0x11385},
                                          {0x1138e, 0x1138e},
                                          {0x11391, 0x11391},
                                          {0x113c5, 0x113c8},
                                          {0x11938, 0x11938},
                                          {0x16121, 0x16128},
                                          {0x16d68, 0x16d6a}}};
  return std::ranges::any_of(kNew, [c](const Block& b) { return c >= b.first && c <= b.last; });
}

}  // namespace

BertText::BertText(const BertOptions& options) : options_(options) {
  for (std::size_t byte = 0; byte < kinds_.size(); ++byte) {
    const auto c = static_cast<char32_t>(byte);
    if (byte >= 0x80 || (options_.clean_text && is_dropped(c)))
      kinds_[byte] = Kind::kOther;
    else if (is_white_space(c))
      kinds_[byte] = Kind::kBlank;
    else if (bert_is_punctuation(c))
      kinds_[byte] = Kind::kSign;
  }
}

void BertText::clean(std::string_view text) {
  cleaned_.clear();
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    text.remove_prefix(c.size);
    char32_t value = c.value;
    if (options_.clean_text) {
      if (is_dropped(value)) continue;
      if (is_white_space(value)) value = U' ';
    }
    if (options_.split_ideographs && is_ideograph(value))
      cleaned_.insert(cleaned_.end(), {U' ', value, U' '});
    else
      cleaned_.push_back(value);
  }
}

void BertText::normalize(std::string_view text, std::string& out) {
  clean(text);
  if (options_.strip_accents) {
    decomposed_.clear();
    for (const char32_t c : cleaned_) {
      if (c < 0x80 || decomposes_since_13(c))
        decomposed_.push_back(c);
      else
        append_decomposed(c, decomposed_);
    }
    order_marks(decomposed_);
    std::erase_if(decomposed_, bert_is_nonspacing);
  }
  for (const char32_t c : options_.strip_accents ? decomposed_ : cleaned_) {
    if (options_.lower)
      append_lower(c, out);
    else
      append_utf8(c, out);
  }
}

std::string_view next_bert_word(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (at < text.size()) {
    const CodePoint c = first_code_point(text.substr(at));
    const bool blank = is_white_space(c.value);
    if (blank || bert_is_punctuation(c.value)) {
      if (begin < at) break;
      if (!blank) return text.substr(at, c.size);
      begin = at + c.size;
    }
    at += c.size;
  }
  return text.substr(begin, at - begin);
}

}  // namespace sextant
