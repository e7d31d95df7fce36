// SPDX-License-Identifier: Apache-2.0
// A config.json as a Model: which encoding, from the keys first and from the family second.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/families.h"
#include "model/key_ledger.h"
#include "model/layer_groups.h"
#include "model/model_files.h"
#include "model/rope_keys.h"

namespace sextant {
namespace {

// Objects that hold the text part of a model with several parts.
constexpr std::string_view kTextParts[] = {"text_config", "llm_config", "language_config",
                                           "thinker_config"};

// The innermost text part, and the objects around it.
struct Place {
  ConfigSection text;
  std::vector<ConfigSection> around = {};
};

Place text_place(const JsonFile& config, KeyLedger& ledger) {
  Place place{ConfigSection(JsonNode(config.value, config.name), ledger)};
  bool deeper = true;
  while (deeper) {
    deeper = false;
    for (const std::string_view name : kTextParts) {
      const auto part = place.text.section(name);
      if (!part) continue;
      place.around.push_back(place.text);
      place.text = *part;
      deeper = true;
      break;
    }
  }
  return place;
}

// model_type of the text part where the table knows it, else that of the whole.
std::string family_name(const Place& place) {
  std::string name = place.text.word({"model_type"}).value_or("");
  if (find_family(name) != nullptr) return name;
  for (auto outer = place.around.rbegin(); outer != place.around.rend(); ++outer) {
    const std::string wider = outer->word({"model_type"}).value_or("");
    if (find_family(wider) != nullptr || name.empty()) name = wider;
  }
  return name;
}

// What the family's class has for a key that the file leaves out; 0: nothing.
Index by_family(std::string_view key, Index value, Model& model) {
  if (value > 0) model.notes.push_back(fmt::format("{} is absent: {}, by the family", key, value));
  return value;
}

void read_heads(const ConfigSection& text, const FamilySizes& family, Model& model) {
  const auto heads = text.size(
      {"num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"});
  model.heads = heads ? *heads : by_family("num_attention_heads", family.heads, model);
  const auto kv_heads =
      text.take({"num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num"});
  model.kv_heads = model.heads;
  if (!heads && !kv_heads && family.kv_heads > 0)
    model.kv_heads = by_family("num_key_value_heads", family.kv_heads, model);
  if (kv_heads && !kv_heads->is_array()) model.kv_heads = size_of(*kv_heads, kMostSize);
  if (kv_heads && kv_heads->is_array())
    model.notes.emplace_back("heads of keys differ between layers");
}

void read_sizes(const ConfigSection& text, const FamilySizes& family, Model& model) {
  model.layers = text.size({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}).value_or(0);
  const auto hidden = text.size({"hidden_size", "n_embd", "d_model", "dim"});
  model.hidden = hidden ? *hidden : by_family("hidden_size", family.hidden, model);
  read_heads(text, family, model);
  model.max_positions = text.size(kLengthKeys, kMostPositions).value_or(0);
  if (const auto rope_dim = text.size({"qk_rope_head_dim"}); rope_dim && *rope_dim > 0) {
    model.latent_attention = true;
    model.head_dim = *rope_dim;
    text.ignore("head_dim", "qk_rope_head_dim is what turns");
    return;
  }
  const auto stated =
      text.size({"head_dim", "attention_head_size", "kv_channels", "d_kv", "attention_head_dim"});
  if (stated)
    model.head_dim = *stated;
  else if (family.head_dim > 0)
    model.head_dim = by_family("head_dim", family.head_dim, model);
  else if (model.heads > 0)
    model.head_dim = model.hidden / model.heads;
}

void read_rest(const Place& place, Model& model) {
  const auto anywhere = [&](std::initializer_list<std::string_view> names) {
    std::optional<std::string> word = place.text.word(names);
    for (const ConfigSection& outer : place.around)
      if (!word) word = outer.word(names);
    return word.value_or("");
  };
  model.dtype = anywhere({"torch_dtype", "dtype"});
  model.use_cache = place.text.flag({"use_cache"}).value_or(true);
  if (const auto decoder = place.text.flag({"is_decoder"}); decoder && *decoder)
    model.causal = true;
  const auto interleaved =
      place.text.flag({"rope_interleave", "rope_interleaved", "rotary_interleaved",
                       "rotary_emb_interleaved", "interleaved_rope"});
  if (interleaved) {
    model.pairing = *interleaved ? Pairing::kInterleaved : Pairing::kHalf;
    model.pairing_is_stated = true;
  }
}

PositionKind kind_of_word(const JsonNode& node) {
  struct Word {
    std::string_view word = {};
    PositionKind kind = PositionKind::kNone;
  };
  constexpr Word kWords[] = {{"absolute", PositionKind::kLearned},
                             {"learned", PositionKind::kLearned},
                             {"learned_absolute", PositionKind::kLearned},
                             {"rope", PositionKind::kRotary},
                             {"rotary", PositionKind::kRotary},
                             {"rope_gptj", PositionKind::kRotary},
                             {"alibi", PositionKind::kAlibi},
                             {"sinusoidal", PositionKind::kSinusoidal},
                             {"nope", PositionKind::kNone},
                             {"none", PositionKind::kNone}};
  const std::string word = lower_ascii(node.text());
  std::vector<std::string> known = {"relative_key", "relative_key_query"};
  for (const Word& entry : kWords) {
    if (entry.word == word) return entry.kind;
    known.emplace_back(entry.word);
  }
  if (word == known[0] || word == known[1])
    node.fail_here("'{}' is recognised but not supported", word);
  node.fail_here("unknown encoding '{}'{}", escaped(node.text()), suggestion(word, known));
}

// MPT and DBRX keep the keys of attention in an object of their own.
std::optional<PositionKind> kind_of_attention(const ConfigSection& text, Model& model,
                                              RopeTable& rope) {
  if (!text.has("attn_config")) return std::nullopt;
  const auto attention = text.section("attn_config");
  const bool alibi = attention->flag({"alibi"}).value_or(false);
  const auto bias_max = attention->number({"alibi_bias_max"});
  if (alibi && bias_max) model.alibi_bias_max = *bias_max;
  if (!alibi) attention->ignore("alibi_bias_max", "alibi is off");
  const auto rotary = attention->flag({"rope"});
  const bool turns = rotary.value_or(model.family == "dbrx");
  if (const auto theta = attention->number({"rope_theta"}); turns && theta) {
    rope.all.theta = theta;
    rope.all.pointer = attention->node().pointer();
  }
  if (!turns) attention->ignore("rope_theta", "rope is off");
  attention->ignore_positional("unknown");
  if (turns) return PositionKind::kRotary;
  if (alibi) return PositionKind::kAlibi;
  if (model.family != "mpt") return std::nullopt;
  const bool learned = text.flag({"learned_pos_emb"}).value_or(true);
  return learned ? PositionKind::kLearned : PositionKind::kNone;
}

// Rotary families and T5 carry position_embedding_type from a common parent class and do not look
// at it (ModernBERT says "absolute" there); ESM does.
bool heeds_type(const Family* family) {
  if (family == nullptr || family->name == "esm") return true;
  return family->kind != PositionKind::kRotary && family->kind != PositionKind::kT5;
}

std::optional<PositionKind> kind_of_keys(const ConfigSection& text, const Family* family,
                                         Model& model, RopeTable& rope) {
  if (const auto relative = text.flag({"relative_attention"}); relative && *relative)
    text.node()
        .at("relative_attention")
        .fail_here("disentangled relative positions are recognised but not supported");
  for (const std::string_view key :
       {"position_embedding_type", "position_embedding", "pos_emb_type"}) {
    if (!heeds_type(family))
      text.ignore(key, fmt::format("not read by {}", family->name));
    else if (const auto word = text.take({key}))
      return kind_of_word(*word);
  }
  if (const auto kind = kind_of_attention(text, model, rope)) return kind;
  if (const auto alibi = text.flag({"alibi", "use_alibi"}); alibi && *alibi)
    return PositionKind::kAlibi;
  if (const auto sine = text.flag({"sinusoidal_pos_embds"}); sine && *sine)
    return PositionKind::kSinusoidal;
  return std::nullopt;
}

// Of a family that is not in the table, or none at all.
PositionKind guessed_kind(const ConfigSection& text, const RopeTable& rope, Model& model) {
  const auto taken = [&](PositionKind kind, std::string_view key) {
    model.notes.push_back(fmt::format("family '{}' is not in the table: {} by {}",
                                      escaped(model.family), name(kind), key));
    return kind;
  };
  if (rope.written) return taken(PositionKind::kRotary, "its rotary keys");
  if (text.has("relative_attention_num_buckets"))
    return taken(PositionKind::kT5, "relative_attention_num_buckets");
  if (text.has("type_vocab_size") || text.has("n_positions"))
    return taken(PositionKind::kLearned, "its keys");
  model.notes.push_back(fmt::format("family '{}' is not in the table, and no key names an encoding",
                                    escaped(model.family)));
  return PositionKind::kNone;
}

// Baichuan's two sizes share a model_type: only the one of width 4096 turns.
PositionKind kind_of_family(const Family& family, Model& model) {
  if (family.name != "baichuan" || model.hidden == 4096 || model.hidden == 0) return family.kind;
  model.notes.emplace_back("baichuan of a width other than 4096: alibi, by the family");
  return PositionKind::kAlibi;
}

void read_table_rows(const ConfigSection& text, const Family& family, Model& model) {
  model.first_row = family.first_row;
  if (family.first_row > 0)
    model.notes.push_back(
        fmt::format("{} rows come before position 0, by the family", family.first_row));
  if (family.after_padding) {
    const auto padding = text.size({"pad_token_id"});
    model.first_row = padding.value_or(1) + 1;
    if (!padding) model.notes.emplace_back("pad_token_id is absent: 1, by the family");
  }
  if (model.max_positions > 0 || !text.has("patch_size")) return;
  const auto image = text.take({"image_size"}), patch = text.take({"patch_size"});
  if (!image || image->is_array() || image->is_object() || patch->is_array()) return;
  const Index side = size_of(*image, 1 << 20), step = size_of(*patch, 1 << 20);
  if (step < 1) patch->fail_here("must be at least 1");
  model.max_positions = (side / step) * (side / step) + 1;
  model.notes.push_back(fmt::format("{} patches and one class token", model.max_positions - 1));
}

void read_kind(const ConfigSection& text, const Family& family, const RopeTable& rope,
               PositionKind kind, Model& model) {
  if (kind == PositionKind::kRotary) {
    model.groups = rotary_groups(text, family, rope, model.layers, model.notes);
    return;
  }
  for (const std::string_view key : {"rope_theta", "rope_scaling", "rope_parameters", "rotary_pct",
                                     "rotary_dim", "rotary_emb_base", "partial_rotary_factor"})
    text.ignore(key, fmt::format("the encoding is {}", name(kind)));
  if (model.layers > kMostLayers)
    fail(ErrorCode::kRefused, text.node().place(), "names {} layers; at most {} are read",
         model.layers, kMostLayers);
  model.groups = {{.layers = all_layers(model.layers), .kind = kind}};
  if (kind == PositionKind::kT5) {
    model.t5_buckets = text.size({"relative_attention_num_buckets"}).value_or(32);
    model.t5_max_distance = text.size({"relative_attention_max_distance"}).value_or(128);
  }
  if (kind == PositionKind::kLearned || kind == PositionKind::kSinusoidal)
    read_table_rows(text, family, model);
}

// Keys of single families that change what is read above.
void read_special(const ConfigSection& text, RopeTable& rope, Model& model) {
  if (model.family == "chatglm") {
    if (const auto ratio = text.number({"rope_ratio"})) {
      rope.all.theta = 10000.0 * *ratio;
      model.notes.push_back(fmt::format("theta is 10000 times rope_ratio"));
    }
    model.notes.emplace_back("half of each head turns, by the family");
  }
  if (model.family == "gptj" || model.family == "chatglm")
    text.flag({"rotary", "original_rope"});  // they know no other way
  text.ignore("use_dynamic_ntk", "Qwen's own rule by length; not part of the operator");
  for (const std::string_view name : {"attn_temperature_tuning", "floor_scale", "attn_scale"})
    text.ignore(name, "scales queries by their position; no part of the rotary operator");
}

}  // namespace

Model describe_config(const JsonFile& config) {
  KeyLedger ledger;
  const Place place = text_place(config, ledger);
  const ConfigSection& text = place.text;
  Model model{.source = config.name, .family = family_name(place)};
  const Family* known = find_family(model.family);
  const Family family = known == nullptr ? Family{} : *known;
  if (!family.unsupported.empty())
    text.node().fail_here("{} of family '{}' are recognised but not supported", family.unsupported,
                          model.family);
  model.pairing = family.pairing;
  model.causal = family.causal;
  read_sizes(text, family.sizes, model);
  read_rest(place, model);
  RopeTable rope = read_rope_table(text, model.head_dim);
  read_special(text, rope, model);
  std::optional<PositionKind> kind = kind_of_keys(text, known, model, rope);
  if (!kind)
    kind = known == nullptr ? guessed_kind(text, rope, model) : kind_of_family(family, model);
  read_kind(text, family, rope, *kind, model);
  if (known != nullptr && *kind == PositionKind::kRotary && !model.pairing_is_stated)
    model.notes.push_back(fmt::format("pairs are {}, by the family", name(model.pairing)));
  text.ignore_positional("unknown");
  for (const ConfigSection& outer : place.around)
    outer.ignore_positional(fmt::format("{} is read instead", text.node().pointer()));
  model.keys = ledger.uses();
  return model;
}

}  // namespace sextant
