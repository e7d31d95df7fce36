// SPDX-License-Identifier: Apache-2.0
// A learned table by the name that a user types.
#pragma once

#include <string_view>

#include "model/table_facts.h"

namespace sextant {

// True for FILE.npy, FILE.safetensors with and without #tensor, and for FILE.gguf#tensor and
// FOLDER#tensor. A GGUF file or a folder alone is a model.
bool names_table(std::string_view text);

// Throws as read_array() does, kMalformed for an array that is not [rows, dim] (axes of length 1
// before these are dropped), and kRefused for one that takes more than four fifths of the memory.
LearnedTable read_learned_table(std::string_view text);

}  // namespace sextant
