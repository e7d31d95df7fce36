// SPDX-License-Identifier: Apache-2.0
// One maker per kind of tokenizer. All throw kUnreadable and kMalformed for the files they read.
#pragma once

#include <filesystem>
#include <memory>

#include "sextant/corpus.h"

namespace sextant {

std::unique_ptr<Tokenizer> make_words_tokenizer();
std::unique_ptr<Tokenizer> make_bytes_tokenizer();

// vocab.txt of BERT, one token a line.
std::unique_ptr<Tokenizer> read_wordpiece_vocabulary(const std::filesystem::path& file);

// A folder with vocab.json or encoder.json, and merges.txt or vocab.bpe.
std::unique_ptr<Tokenizer> read_gpt2_folder(const std::filesystem::path& folder);

std::unique_ptr<Tokenizer> read_tokenizer_json(const std::filesystem::path& file);

// kUsage where the library behind it was absent when this one was built.
std::unique_ptr<Tokenizer> read_sentencepiece_model(const std::filesystem::path& file);

}  // namespace sextant
