// SPDX-License-Identifier: Apache-2.0
// The metadata of a GGUF file as a Model, read as llama.cpp reads it.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "model/families.h"
#include "model/key_ledger.h"
#include "model/layer_groups.h"
#include "model/model_files.h"
#include "model/rope_keys.h"

namespace sextant {
namespace {

// Values under "ARCHITECTURE." with the keys that were read.
class Metadata {
 public:
  Metadata(const GgufFile& gguf, std::string architecture)
      : gguf_(gguf), architecture_(std::move(architecture)) {}

  // A number of any kind, the first of an array.
  std::optional<double> number(std::string_view key) {
    const GgufValue* value = take(key);
    if (value == nullptr) return std::nullopt;
    if (const auto* list = std::get_if<GgufArray>(value))
      return list->values.empty() ? std::nullopt : scalar(key, list->values.front());
    return scalar(key, *value);
  }

  std::optional<Index> size(std::string_view key, Index most = kMostSize) {
    const std::optional<double> value = number(key);
    if (!value) return std::nullopt;
    if (!(*value >= 0.0) || *value != std::floor(*value) || *value > static_cast<double>(most))
      fail_key(key,
               fmt::format("must be a whole number up to {} but is {}", most, shortest(*value)));
    return static_cast<Index>(*value);
  }

  std::optional<std::string> word(std::string_view key) {
    const GgufValue* value = take(key);
    if (value == nullptr) return std::nullopt;
    const auto* text = std::get_if<std::string>(value);
    if (text == nullptr) fail_key(key, "must be a string");
    return *text;
  }

  std::vector<Index> sizes(std::string_view key) {
    std::vector<Index> list;
    const GgufValue* value = take(key);
    if (value == nullptr) return list;
    const auto* array = std::get_if<GgufArray>(value);
    if (array == nullptr) fail_key(key, "must be an array");
    list.reserve(array->values.size());
    for (const GgufScalar& element : array->values) {
      const double entry = *scalar(key, element);
      if (!(entry >= 0.0 && entry <= static_cast<double>(kMostSize)))
        fail_key(key, "must hold sizes");
      list.push_back(static_cast<Index>(entry));
    }
    return list;
  }

  [[noreturn]] void fail_key(std::string_view key, const std::string& what) const {
    fail(ErrorCode::kMalformed, fmt::format("{}: {}.{}", gguf_.name, architecture_, key), "{}",
         what);
  }

  // Keys of positions that nothing above asked for are listed as ignored.
  std::vector<KeyUse> uses() const {
    std::vector<KeyUse> list;
    for (const auto& [key, value] : gguf_.metadata) {
      if (read_.count(key) > 0)
        list.push_back({key, true, ""});
      else if (key.find(".rope.") != key.npos || key.find("alibi") != key.npos)
        list.push_back({escaped(key), false, "unknown"});
    }
    return list;
  }

 private:
  const GgufValue* take(std::string_view key) {
    const auto found = gguf_.metadata.find(fmt::format("{}.{}", architecture_, key));
    if (found == gguf_.metadata.end()) return nullptr;
    read_.insert(found->first);
    return &found->second;
  }

  template <typename Value>
  std::optional<double> scalar(std::string_view key, const Value& value) const {
    if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    fail_key(key, "must be a number");
  }

  const GgufFile& gguf_;
  std::string architecture_;
  std::set<std::string> read_;
};

void read_gguf_sizes(Metadata& metadata, Model& model) {
  model.layers = metadata.size("block_count").value_or(0);
  if (model.layers > kMostLayers)
    fail(ErrorCode::kRefused, model.source, "names {} layers; at most {} are read", model.layers,
         kMostLayers);
  model.hidden = metadata.size("embedding_length").value_or(0);
  model.heads = metadata.size("attention.head_count").value_or(0);
  model.kv_heads = metadata.size("attention.head_count_kv").value_or(model.heads);
  model.max_positions = metadata.size("context_length", kMostPositions).value_or(0);
  const auto key_length = metadata.size("attention.key_length");
  model.latent_attention = metadata.size("attention.kv_lora_rank").value_or(0) > 0;
  if (key_length)
    model.head_dim = *key_length;
  else if (model.heads > 0)
    model.head_dim = model.hidden / model.heads;
}

RopeKeys read_gguf_rope(Metadata& metadata, Model& model) {
  RopeKeys keys;
  keys.theta = metadata.number("rope.freq_base");
  const auto turned = metadata.size("rope.dimension_count");
  if (turned && model.latent_attention) {
    model.head_dim = *turned;
  } else if (turned && model.head_dim > 0) {
    keys.partial = fraction_of(*turned, model.head_dim);
    if (!keys.partial)
      metadata.fail_key("rope.dimension_count",
                        fmt::format("must be within 1..{} but is {}", model.head_dim, *turned));
  }
  if (const auto type = metadata.word("rope.scaling.type")) {
    const std::vector<std::string> known = {"none", "linear", "yarn", "longrope"};
    if (std::find(known.begin(), known.end(), *type) == known.end())
      metadata.fail_key("rope.scaling.type", fmt::format("unknown rope type '{}'{}", escaped(*type),
                                                         suggestion(*type, known)));
    keys.type = *type == "none" ? "default" : *type;
  }
  keys.factor = metadata.number("rope.scaling.factor");
  if (const auto old = metadata.number("rope.scale_linear"); old && !keys.factor) {
    keys.factor = old;
    if (keys.type == "default" && *old != 1.0) keys.type = "linear";
  }
  keys.original = metadata.number("rope.scaling.original_context_length");
  keys.attn_factor = metadata.number("rope.scaling.attn_factor");
  keys.log_multiplier = metadata.number("rope.scaling.yarn_log_multiplier");
  keys.beta_fast = metadata.number("rope.scaling.yarn_beta_fast");
  keys.beta_slow = metadata.number("rope.scaling.yarn_beta_slow");
  keys.mrope_section = metadata.sizes("rope.dimension_sections");
  return keys;
}

std::vector<double> tensor_values(const GgufFile& gguf, const std::filesystem::path& path,
                                  std::string_view name, std::vector<std::string>& notes) {
  if (gguf.find_tensor(name) == nullptr) return {};
  if (path.empty()) {
    notes.push_back(fmt::format("{} is there but was not read", name));
    return {};
  }
  return read_gguf_tensor(path, name).values;
}

// What a layer of this type does under the architecture's rule.
LayerGroup gguf_group(const std::string& type, const GgufArchitecture& architecture,
                      const RopeKeys& keys, std::optional<double> local_theta) {
  LayerGroup group{.name = type, .kind = PositionKind::kRotary, .rope = keys};
  const bool full = type == "full_attention";
  const LayerRule rule = architecture.layers;
  if ((rule == LayerRule::kSlidingOnly && full) || (rule == LayerRule::kNopeLayers && full)) {
    group.kind = PositionKind::kNone;
    group.rope = {};
  } else if (!full && (rule == LayerRule::kLocalGlobal || rule == LayerRule::kEveryNth)) {
    group.rope = {.theta = local_theta ? local_theta : std::optional(architecture.local_theta),
                  .partial = keys.partial};
  }
  return group;
}

void read_gguf_groups(Metadata& metadata, const GgufArchitecture& architecture,
                      const RopeKeys& keys, Model& model) {
  if (architecture.layers == LayerRule::kUniform || model.layers == 0) {
    model.groups = {
        {.layers = all_layers(model.layers), .kind = PositionKind::kRotary, .rope = keys}};
    return;
  }
  const auto local_theta = metadata.number("rope.freq_base_swa");
  const Index first = architecture.layers == LayerRule::kEveryNth ? 0 : architecture.period - 1;
  model.notes.push_back(fmt::format("one layer in {} is of the other kind, by the architecture",
                                    architecture.period));
  model.groups = groups_by_name(
      periodic_types(model.layers, architecture.period, first, "sliding_attention"),
      [&](const std::string& type) { return gguf_group(type, architecture, keys, local_theta); },
      model.source);
}

}  // namespace

Model describe_gguf(const GgufFile& gguf, const std::string& name,
                    const std::filesystem::path& path) {
  const std::string* family = gguf.find<std::string>("general.architecture");
  if (family == nullptr) fail(ErrorCode::kMalformed, name, "general.architecture is missing");
  Metadata metadata(gguf, *family);
  Model model{.source = name, .family = escaped(*family), .gguf = true};
  const GgufArchitecture* known = find_architecture(*family);
  if (known == nullptr)
    model.notes.push_back(
        fmt::format("architecture '{}' is not in the table: pairs are half", model.family));
  const GgufArchitecture architecture = known == nullptr ? GgufArchitecture{} : *known;
  model.pairing = architecture.pairing;
  model.causal = architecture.causal;
  read_gguf_sizes(metadata, model);
  RopeKeys keys = read_gguf_rope(metadata, model);
  keys.divisors = tensor_values(gguf, path, "rope_freqs.weight", model.notes);
  keys.long_factor = tensor_values(gguf, path, "rope_factors_long.weight", model.notes);
  keys.short_factor = tensor_values(gguf, path, "rope_factors_short.weight", model.notes);
  if (!keys.long_factor.empty() && keys.type == "default") keys.type = "longrope";
  const auto bias = metadata.number("attention.max_alibi_bias");
  const auto buckets = metadata.size("attention.relative_buckets_count");
  PositionKind kind = architecture.kind;
  if (known == nullptr && bias.value_or(0.0) > 0.0) kind = PositionKind::kAlibi;
  if (bias) model.alibi_bias_max = *bias;
  if (buckets) model.t5_buckets = *buckets;
  if (kind == PositionKind::kRotary) {
    read_gguf_groups(metadata, architecture, keys, model);
  } else {
    model.groups = {{.layers = all_layers(model.layers), .kind = kind}};
  }
  if (const GgufTensor* table = gguf.find_tensor("position_embd.weight");
      table != nullptr && !table->shape.empty())
    model.table_rows = table->shape.front();
  model.keys = metadata.uses();
  return model;
}

}  // namespace sextant
