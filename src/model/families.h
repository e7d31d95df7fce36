// SPDX-License-Identifier: Apache-2.0
// What the program of a model family does that its config.json does not say: the model_type of
// transformers, or the architecture of GGUF, to facts.
#pragma once

#include <string_view>

#include "sextant/model.h"

namespace sextant {

// Which layers of a family differ.
enum class LayerRule {
  kUniform,
  kLocalGlobal,   // own theta on sliding layers; scaling on full layers only (Gemma 3)
  kScaledGlobal,  // one theta; scaling on full layers only (OLMo 3)
  kEveryNth,      // layers 0, n, 2n, ... are global, with their own theta (ModernBERT)
  kNopeLayers,    // no_rope_layers or every n-th without encoding (Llama 4, SmolLM 3)
  kSlidingOnly,   // rotary on sliding layers, nothing on full ones (Cohere 2, EXAONE 4)
  kFullOnly,      // attention on every n-th layer, the others are recurrent (Qwen 3 Next)
};

// Of the config class of transformers, where the file has none; 0: not known. Heads of keys without
// a number are as many as heads, a head is hidden / heads wide.
struct FamilySizes {
  Index hidden = 0, heads = 0, kv_heads = 0, head_dim = 0;
};

struct Family {
  std::string_view name = {};
  // The one rope type that its programs agree on; empty: all; "none": they read no type at all.
  std::string_view scaling = {};
  FamilySizes sizes = {};
  double theta = 10000.0;             // where the file has none
  double partial = 1.0;               // likewise
  Index period = 0;                   // of the layer rule, likewise
  double local_theta = 0.0;           // of sliding layers, likewise
  Index first_row = 0;                // learned: rows before position 0
  std::string_view unsupported = {};  // a scheme that Model has no place for
  PositionKind kind = PositionKind::kRotary;
  Pairing pairing = Pairing::kHalf;
  LayerRule layers = LayerRule::kUniform;
  bool causal = true;
  bool after_padding = false;   // learned: pad_token_id + 1 rows before position 0
  bool softmax_mscale = false;  // MLA: the logits get (0.1 mscale_all_dim ln factor + 1)^2
};

// Nothing for a family that is not in the table.
const Family* find_family(std::string_view name);
// Nothing for a GGUF file, whose names are those of another table.
const Family* family_of(const Model& model);
// The share of a head that turns: as written, or by the family.
double rotated_part(const Model& model, const RopeKeys& keys);

// What the graph of llama.cpp does for an architecture of GGUF.
struct GgufArchitecture {
  std::string_view name = {};
  Index period = 0;
  double local_theta = 0.0;
  PositionKind kind = PositionKind::kRotary;
  Pairing pairing = Pairing::kHalf;  // NORM is interleaved, NEOX and the mrope kinds are half
  LayerRule layers = LayerRule::kUniform;
  bool causal = true;
  bool tenth_log_multiplier = false;  // yarn_log_multiplier is stored times 0.1
};
const GgufArchitecture* find_architecture(std::string_view name);

}  // namespace sextant
