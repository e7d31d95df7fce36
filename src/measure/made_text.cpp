// SPDX-License-Identifier: Apache-2.0
#include "measure/made_text.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/rng.h"

namespace sextant {
namespace {

constexpr std::uint64_t kTextSeed = 20240607;

}  // namespace

std::vector<std::string> made_words(std::size_t count) {
  const Rng rng(kTextSeed, 0);
  constexpr std::string_view kConsonants = "bcdfghlmnprstvw", kVowels = "aeiou";
  std::vector<std::string> words;
  std::uint64_t draw = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::string word;
    // Frequent words are short.
    const auto syllables =
        1 + static_cast<std::size_t>(std::log10(static_cast<double>(i) + 3.0)) + rng.at(draw++) % 2;
    for (std::size_t s = 0; s < syllables; ++s) {
      word += kConsonants[rng.at(draw++) % kConsonants.size()];
      word += kVowels[rng.at(draw++) % kVowels.size()];
    }
    words.push_back(word);
  }
  return words;
}

std::string made_text(const std::vector<std::string>& words, std::size_t bytes) {
  const Rng rng(kTextSeed, 1);
  std::string text;
  std::uint64_t draw = 0;
  bool starts = true;
  for (std::size_t i = 1; text.size() < bytes; ++i) {
    const double u = rng.uniform(draw++);
    const auto rank = static_cast<std::size_t>(std::pow(static_cast<double>(words.size()), u)) - 1;
    std::string word = words[rank];
    if (starts) word[0] = static_cast<char>(word[0] - 'a' + 'A');
    starts = rng.at(draw++) % 12 == 0;
    text += word;
    text += i % 200 == 0 ? ".\n" : starts ? ". " : " ";
  }
  return text;
}

std::vector<std::string> made_wordpieces() {
  std::vector<std::string> pieces;
  for (const std::string& word : made_words(20000)) {
    if (word.size() > 1) pieces.push_back(word);
    if (word.size() > 3) pieces.push_back("##" + word.substr(2, 2));
  }
  std::ranges::sort(pieces);
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  std::vector<std::string> tokens = {"[PAD]", "[UNK]", "."};
  for (char c = 'a'; c <= 'z'; ++c) {
    tokens.emplace_back(1, c);
    tokens.push_back(std::string("##") + c);
  }
  tokens.insert(tokens.end(), pieces.begin(), pieces.end());
  return tokens;
}

}  // namespace sextant
