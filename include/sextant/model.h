// SPDX-License-Identifier: Apache-2.0
// What the files of a model say about positions, and what an engine makes of it. Files are read,
// never executed.
//
// A Model holds what is written. Engines fill gaps of the rotary keys differently, so that such a
// default belongs to an Engine, not to the model: rotary_operator() applies it and says so. Sizes
// that a config leaves out are those of its family, with a note.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/double_double.h"
#include "sextant/matrix.h"

namespace sextant {

enum class PositionKind { kNone, kRotary, kAlibi, kT5, kLearned, kSinusoidal };
std::string_view name(PositionKind kind);  // "none", "rotary", "alibi", ...

enum class Pairing { kHalf, kInterleaved };
std::string_view name(Pairing pairing);  // "half", "interleaved"

// The keys of one rotary rule as they are written; what is absent is empty. Values may be absurd
// (a factor of -1): judging is the linter's work.
struct RopeKeys {
  std::string pointer = {};  // of the object that holds them: "/rope_scaling", "" for the root
  std::string type =
      "default";  // default linear dynamic ntk yarn longrope llama3 proportional mrope
  std::optional<double> theta = {}, factor = {}, original = {}, attention_factor = {};
  std::optional<double> beta_fast = {}, beta_slow = {}, mscale = {}, mscale_all_dim = {};
  std::optional<double> low_freq_factor = {}, high_freq_factor = {};
  std::optional<double> partial = {};         // partial_rotary_factor and its other spellings
  std::optional<double> log_multiplier = {};  // GGUF's yarn_log_multiplier
  std::optional<double> attn_factor = {};     // GGUF's and vLLM's: multiplies, replaces nothing
  std::optional<double> short_mscale = {}, long_mscale = {};  // longrope: magnitude by length
  std::optional<bool> truncate = {};
  std::vector<double> short_factor = {}, long_factor = {};
  std::vector<double> divisors = {};  // GGUF's rope_freqs.weight: one per pair
  std::vector<Index> mrope_section = {};
  bool mrope_interleaved = false;
};

// Layers that treat positions alike.
struct LayerGroup {
  std::string name = "all";        // or "full_attention", "sliding_attention", "no encoding", ...
  std::vector<Index> layers = {};  // empty where the number of layers is unknown: all of them
  PositionKind kind = PositionKind::kNone;
  RopeKeys rope = {};  // of kRotary
};

// A key of the config that speaks of positions.
struct KeyUse {
  std::string pointer = {};
  bool consumed = false;
  std::string reason = {};  // why it is ignored: "not read by linear", "unknown", ...
};

struct Model {
  std::string source = {};  // the path as messages print it
  std::string family = {};  // model_type of config.json, general.architecture of GGUF
  bool gguf = false;        // the file is GGUF, and family is one of its architectures
  // 0 where nothing says it. head_dim is that of the rotated part for latent attention.
  Index layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0;
  Index max_positions = 0;
  bool latent_attention = false;  // MLA: qk_rope_head_dim
  std::string dtype = {};         // "bfloat16", ...
  Pairing pairing = Pairing::kHalf;
  bool pairing_is_stated = false;  // by a key of the file, not by the family alone
  bool causal = true;
  bool use_cache = true;
  // Learned tables: rows in the file (0: none at hand), and how many come before position 0 (OPT 2,
  // RoBERTa padding_idx + 1).
  Index table_rows = 0, first_row = 0;
  Index t5_buckets = 32, t5_max_distance = 128;
  double alibi_bias_max = 8.0;
  std::vector<LayerGroup> groups = {};  // at least one
  std::vector<KeyUse> keys = {};        // sorted by pointer; of GGUF: by key
  std::vector<std::string> notes = {};  // what was taken from the family rather than from the file
};

// A config.json, a folder with one, or a GGUF file. Throws kUnreadable; kMalformed with the JSON
// pointer for a value of the wrong type, an unknown rope type, or a positional feature that is
// recognised but has no place in this struct; kRefused beyond 4 MiB of config.
Model read_model(const std::filesystem::path& path);

// ---------------------------------------------------------------------------------------------
// Engines

enum class Engine { kHuggingFace, kLlamaCpp, kVllm };
inline constexpr Engine kEngines[] = {Engine::kHuggingFace, Engine::kLlamaCpp, Engine::kVllm};
std::string_view name(Engine engine);     // "hf", "llama.cpp", "vllm"
std::string_view release(Engine engine);  // the release whose rules these are

// What an engine does to queries and keys of one group of layers.
struct RotaryOperator {
  std::string spec = {};  // of the catalogue: rope(base=500000,scaling=llama3,...)
  double theta = 0.0;     // before any scaling; of the family where the file has none
  std::vector<DoubleDouble> inv_freq = {};  // one per pair, in their order; 0: does not turn
  DoubleDouble magnitude = 1.0;             // on cos and sin
  DoubleDouble softmax_factor = 1.0;        // on the logits, besides 1/sqrt(d): MLA's mscale^2
  Pairing pairing = Pairing::kHalf;
  Index head_dim = 0, rotary_dim = 0;
  std::vector<Index> sections = {};           // pairs per axis of the position; empty: one axis
  bool interleaved_sections = false;          // pair mod axes picks the axis
  std::vector<std::string> assumptions = {};  // "original_max_position_embeddings is absent: 4096"
};

// For sequences of `length` tokens, which matters to dynamic and longrope; 0: max_positions.
// REQUIRES: group.kind == kRotary. Throws kUsage naming the key where the rule cannot be evaluated
// (no factor, head_dim unknown or odd).
RotaryOperator rotary_operator(const Model& model, const LayerGroup& group,
                               Engine engine = Engine::kHuggingFace, Index length = 0);

// The encoding of a group in the words of the catalogue, whatever its kind: "none",
// "alibi(heads=32)", "t5(...)", "learned", "sinusoidal", or the spec of the operator.
std::string group_spec(const Model& model, const LayerGroup& group,
                       Engine engine = Engine::kHuggingFace);

// 16 hexadecimal digits of the exact operator of every layer: kinds, frequencies, magnitudes,
// pairings, dimensions, slopes, buckets. Equal for equal operators however they are spelled.
std::string fingerprint(const Model& model, Engine engine = Engine::kHuggingFace);

}  // namespace sextant
