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
using std::string_view_literals::operator""sv;
inline constexpr std::initializer_list<std::string_view> kLengthKeys = {
    "max_position_embeddings"sv, "n_positions"sv, "max_seq_len"sv,
    "max_sequence_length"sv,     "seq_length"sv,  "n_ctx"sv,
    "model_max_length"sv};
inline constexpr std::initializer_list<std::string_view> kThetaKeys = {
    "rope_theta"sv, "rotary_emb_base"sv, "rope_base"sv, "rotary_base"sv, "global_rope_theta"sv};

struct RopeTable {
  RopeKeys all = {};  // what every layer gets where nothing says otherwise
  // By layer type; empty: no encoding. Only rope_parameters can say it.
  std::map<std::string, std::optional<RopeKeys>> by_type = {};
  bool written = false;  // some key speaks of a rotation
};

// Keys of the section that holds the sizes, and of its rope objects. `head_dim` turns rotary_dim
// into a fraction. Throws kMalformed.
RopeTable read_rope_table(const ConfigSection& section, Index head_dim);

// Whether the angles are not those of training at its own length.
inline bool is_scaled(const RopeKeys& keys) {
  return keys.type != "default" && keys.type != "mrope";
}

// A fraction p with floor(p * whole) == part; nothing unless 1 <= part <= whole.
std::optional<double> fraction_of(Index part, Index whole);

}  // namespace sextant
