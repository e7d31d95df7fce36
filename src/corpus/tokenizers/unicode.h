// SPDX-License-Identifier: Apache-2.0
// UTF-8 and the few properties of characters that tokenizers ask for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

struct CodePoint {
  char32_t value;
  std::size_t size;  // bytes
};

// The first character of `text`. A byte that starts no character is U+FFFD of one byte.
// REQUIRES: text is not empty.
CodePoint first_code_point(std::string_view text);

void append_utf8(char32_t c, std::string& out);

std::size_t count_code_points(std::string_view text);

// The property White_Space.
bool is_white_space(char32_t c);

bool is_letter(char32_t c);  // L
bool is_number(char32_t c);  // N

char32_t simple_lower(char32_t c);

// Full lower case of one character by itself: U+0130 becomes two, every other one.
void append_lower(char32_t c, std::string& out);

// NFD, NFC, NFKD, NFKC. REQUIRES: text is UTF-8.
enum class NormalForm { kD, kC, kKD, kKC };
std::string normal_form(std::string_view text, NormalForm form);

// Canonical decomposition of one character, appended.
void append_decomposed(char32_t c, std::vector<char32_t>& out);
// Puts marks in canonical order: stable by combining class between characters of class 0.
void order_marks(std::vector<char32_t>& text);

}  // namespace sextant
