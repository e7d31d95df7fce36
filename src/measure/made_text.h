// SPDX-License-Identifier: Apache-2.0
// Text of a made-up language, the same in every run: words with the frequencies of Zipf, full stops
// and capitals, all ASCII.
#pragma once

#include <string>
#include <vector>

namespace sextant {

// Frequent words first, and shorter.
std::vector<std::string> made_words(std::size_t count);

// Lines of about 200 words; word r with a probability like 1/r.
std::string made_text(const std::vector<std::string>& words, std::size_t bytes);

// Tokens of WordPiece for it: [PAD] and [UNK], the full stop, all letters, the frequent words and
// the syllables that continue them. In the order of their ids.
std::vector<std::string> made_wordpieces();

}  // namespace sextant
