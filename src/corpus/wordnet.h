// SPDX-License-Identifier: Apache-2.0
// The glosses of WordNet as a corpus: 117,659 short English texts that Debian has as a package
// (wordnet-base). Princeton's licence allows any use with its notice; nothing of it is kept here.
#pragma once

#include <filesystem>
#include <memory>

#include "corpus/records.h"

namespace sextant {

inline constexpr const char* kWordnetFolder = "/usr/share/wordnet";

// All four data files are there.
bool wordnet_present(const std::filesystem::path& folder = kWordnetFolder);

// One record a synset, in the order noun, verb, adj, adv: what follows " | ", that is the
// definition with its examples, as it stands but for blanks at the end. Throws kUnreadable;
// kMalformed for a line without a gloss.
std::unique_ptr<RecordReader> open_wordnet(const std::filesystem::path& folder = kWordnetFolder);

}  // namespace sextant
