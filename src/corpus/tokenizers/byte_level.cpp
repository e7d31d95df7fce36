// SPDX-License-Identifier: Apache-2.0
// The regular expression as a scanner: every alternative is decided by one or two characters.
#include "corpus/tokenizers/byte_level.h"

#include <cstdint>

#include "corpus/tokenizers/ascii_runs.h"
#include "corpus/tokenizers/unicode.h"

namespace sextant {
namespace {

enum class Kind : std::uint8_t { kSign, kLetter, kNumber, kBlank };

Kind kind_of(char32_t c) {
  if (is_white_space(c)) return Kind::kBlank;
  if (is_letter(c)) return Kind::kLetter;
  return is_number(c) ? Kind::kNumber : Kind::kSign;
}

const std::array<Kind, 128>& ascii_kinds() {
  static const std::array<Kind, 128> kinds = [] {
    std::array<Kind, 128> all = {};
    for (std::size_t c = 0; c < all.size(); ++c) all[c] = kind_of(static_cast<char32_t>(c));
    return all;
  }();
  return kinds;
}

struct Character {
  Kind kind;
  std::size_t size;
};

Character character(std::string_view text, std::size_t at, const std::array<Kind, 128>& ascii) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {ascii[byte], 1};
  const CodePoint c = first_code_point(text.substr(at));
  return {kind_of(c.value), c.size};
}

std::size_t contraction_size(std::string_view text) {
  for (const std::string_view each : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(each)) return each.size();
  return 0;
}

}  // namespace

const std::array<std::string, 256>& byte_symbols() {
  static const std::array<std::string, 256> symbols = [] {
    std::array<std::string, 256> all;
    char32_t next = 0x100;
    for (std::size_t byte = 0; byte < all.size(); ++byte) {
      const bool printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad);
      append_utf8(printable ? static_cast<char32_t>(byte) : next++, all[byte]);
    }
    return all;
  }();
  return symbols;
}

std::size_t gpt2_word_end(std::string_view text, std::size_t at) {
  const std::array<Kind, 128>& ascii = ascii_kinds();
  if (text[at] == '\'') {
    if (const std::size_t size = contraction_size(text.substr(at)); size != 0) return at + size;
  }
  std::size_t begin = at;
  Character c = character(text, at, ascii);
  if (text[at] == ' ' && at + 1 < text.size()) {
    const Character next = character(text, at + 1, ascii);
    if (next.kind != Kind::kBlank) {
      ++begin;
      c = next;
    }
  }
  std::size_t end = begin + c.size, last = begin;
  const Kind kind = c.kind;
  if (kind == Kind::kLetter) end += run_size<ascii_letters>(text.substr(end));
  while (end < text.size()) {
    c = character(text, end, ascii);
    if (c.kind != kind) break;
    last = end;
    end += c.size;
  }
  // Before a word the last blank of several is left to it.
  return kind == Kind::kBlank && end < text.size() && last > at ? last : end;
}

}  // namespace sextant
