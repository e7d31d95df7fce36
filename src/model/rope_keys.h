// SPDX-License-Identifier: Apache-2.0
// The rotary rule of a config: rope_scaling beside rope_theta (transformers 4), rope_parameters
// (transformers 5), and older spellings.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "model/key_ledger.h"
#include "sextant/model.h"

namespace sextant {

// Where configs have the longest position, and theta beside the rope object.
inline constexpr std::initializer_list<std::string_view> kLengthKeys = {
    "max_position_embeddings", "n_positions", "max_seq_len",
    "max_sequence_length",     "seq_length",  "n_ctx",
    "model_max_length"};
inline constexpr std::initializer_list<std::string_view> kThetaKeys = {
    "rope_theta", "rotary_emb_base", "rope_base", "rotary_base", "global_rope_theta"};

struct RopeTable {
  RopeKeys all = {};  // what every layer gets where nothing says otherwise
  // By layer type; empty: no encoding. Only rope_parameters can say it.
  std::map<std::string, std::optional<RopeKeys>> by_type = {};
  bool written = false;  // some key speaks of a rotation
};

// Keys of the section that holds the sizes, and of its rope objects. `head_dim` turns rotary_dim
// into a fraction. Throws kMalformed.
RopeTable read_rope_table(const ConfigSection& section, Index head_dim);

// A fraction p with floor(p * whole) == part; nothing unless 1 <= part <= whole.
std::optional<double> fraction_of(Index part, Index whole);

}  // namespace sextant
