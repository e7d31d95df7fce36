// SPDX-License-Identifier: Apache-2.0
// GPT-2's alphabet, in which every byte is a printable character, and its cut of text into words.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace sextant {

// The character that stands for each byte in the files: itself where it is printable and no blank
// in Latin-1, else the next free one from U+0100.
const std::array<std::string, 256>& byte_symbols();

// Where the word that starts at `at` ends, by
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// REQUIRES: at < text.size().
std::size_t gpt2_word_end(std::string_view text, std::size_t at);

}  // namespace sextant
