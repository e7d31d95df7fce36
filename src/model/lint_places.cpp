// SPDX-License-Identifier: Apache-2.0
#include "model/lint_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <utility>

#include "model/families.h"
#include "sextant/error.h"

namespace sextant {
namespace {

constexpr std::string_view kLanguageConfigs[] = {"text_config", "language_config", "llm_config"};
constexpr std::string_view kRopeObjects[] = {"rope_scaling", "rope_parameters"};

// Keys of config.json as GGUF calls them; {} is the architecture.
constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kGgufKeys = {{
    {"rope_theta", "{}.rope.freq_base"},
    {"rope_type", "{}.rope.scaling.type"},
    {"factor", "{}.rope.scaling.factor"},
    {"original_max_position_embeddings", "{}.rope.scaling.original_context_length"},
    {"attention_factor", "{}.rope.scaling.attn_factor"},
    {"beta_fast", "{}.rope.scaling.yarn_beta_fast"},
    {"beta_slow", "{}.rope.scaling.yarn_beta_slow"},
    {"mscale", "{}.rope.scaling.yarn_log_multiplier"},
    {"partial_rotary_factor", "{}.rope.dimension_count"},
    {"mrope_section", "{}.rope.dimension_sections"},
    {"short_factor", "rope_factors_short.weight"},
    {"long_factor", "rope_factors_long.weight"},
    {"max_position_embeddings", "{}.context_length"},
    {"head_dim", "{}.attention.key_length"},
    {"num_attention_heads", "{}.attention.head_count"},
    {"hidden_size", "{}.embedding_length"},
    {"torch_dtype", "general.file_type"},
    {"attn_factor", "{}.rope.scaling.attn_factor"},
    {"model_type", "general.architecture"},
    {"rope_interleaved", "general.architecture"},
}};

std::string gguf_place(const Model& model, std::string_view key) {
  const auto found =
      std::ranges::find(kGgufKeys, key, &std::pair<std::string_view, std::string_view>::first);
  if (found == kGgufKeys.end()) return std::string(key);
  const std::size_t hole = found->second.find("{}");
  if (hole == std::string_view::npos) return std::string(found->second);
  return model.family + std::string(found->second.substr(hole + 2));
}

const JsonInput* value_at(const JsonInput& config, const std::string& pointer) {
  const JsonInput::json_pointer path(pointer);
  return config.contains(path) ? &config.at(path) : nullptr;
}

// `pointer` without its last step; nothing after the root.
std::optional<std::string> around(const std::string& pointer) {
  if (pointer.empty()) return std::nullopt;
  return pointer.substr(0, pointer.rfind('/'));
}

void add_members(const ConfigObject& object, std::vector<ConfigObject>& all) {
  for (const auto& [key, value] : object.value->items()) {
    if (value.is_object()) all.push_back({fmt::format("{}/{}", object.pointer, key), &value});
  }
}

std::string place_from(const LintSubject& subject, const std::string& first_object,
                       std::initializer_list<std::string_view> spellings) {
  if (!subject.files.config) return gguf_place(subject.model, *spellings.begin());
  const JsonInput& config = subject.files.config->value;
  for (std::optional<std::string> object = first_object; object; object = around(*object)) {
    const JsonInput* holder = value_at(config, *object);
    if (holder == nullptr || !holder->is_object()) continue;
    for (const std::string_view key : spellings) {
      const auto found = holder->find(key);
      if (found != holder->end() && !found->is_null()) return fmt::format("{}/{}", *object, key);
    }
  }
  return fmt::format("{}/{}", first_object, *spellings.begin());
}

}  // namespace

std::vector<ConfigObject> config_scopes(const LintSubject& subject) {
  std::vector<ConfigObject> scopes;
  if (!subject.files.config) return scopes;
  const JsonInput& root = subject.files.config->value;
  scopes.push_back({"", &root});
  for (const std::string_view key : kLanguageConfigs) {
    const auto found = root.find(key);
    if (found != root.end() && found->is_object())
      scopes.push_back({fmt::format("/{}", key), &*found});
  }
  return scopes;
}

std::vector<ConfigObject> rope_objects(const LintSubject& subject) {
  std::vector<ConfigObject> all;
  for (const ConfigObject& scope : config_scopes(subject)) {
    for (const std::string_view key : kRopeObjects) {
      const auto found = scope.value->find(key);
      if (found == scope.value->end() || !found->is_object()) continue;
      all.push_back({fmt::format("{}/{}", scope.pointer, key), &*found});
      add_members(ConfigObject(all.back()), all);
    }
  }
  return all;
}

std::optional<double> number_at(const ConfigObject& object, const std::string& key) {
  const auto found = object.value->find(key);
  if (found == object.value->end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string key_place(const LintSubject& subject, const LayerGroup& group,
                      std::initializer_list<std::string_view> spellings) {
  if (group.rope.pointer.empty()) return key_place(subject, spellings);
  return place_from(subject, group.rope.pointer, spellings);
}

std::string key_place(const LintSubject& subject,
                      std::initializer_list<std::string_view> spellings) {
  std::vector<ConfigObject> scopes = config_scopes(subject);
  std::ranges::reverse(scopes);  // the inner one is read
  for (const ConfigObject& scope : scopes) {
    for (const std::string_view key : spellings) {
      const auto found = scope.value->find(key);
      if (found != scope.value->end() && !found->is_null())
        return fmt::format("{}/{}", scope.pointer, key);
    }
  }
  return place_from(subject, "", spellings);
}

std::string theta_place(const LintSubject& subject, const LayerGroup& group) {
  if (group.name == "sliding_attention" && group.rope.pointer.empty())
    return key_place(subject, group, {"rope_local_base_freq", "local_rope_theta", "rope_theta"});
  return key_place(subject, group, {"rope_theta", "rotary_emb_base", "global_rope_theta"});
}

std::vector<const LayerGroup*> turning_groups(const Model& model) {
  std::vector<const LayerGroup*> groups;
  groups.reserve(model.groups.size());
  for (const LayerGroup& group : model.groups)
    if (group.kind == PositionKind::kRotary) groups.push_back(&group);
  return groups;
}

std::optional<Index> turned_dim(const Model& model, const LayerGroup& group) {
  if (model.head_dim <= 0) return std::nullopt;
  if (group.rope.type == "proportional") return model.head_dim;
  const double exact = rotated_part(model, group.rope) * static_cast<double>(model.head_dim);
  if (!(std::abs(exact) < 1e9)) return std::nullopt;
  // 25/32 of 32 must not become 24.
  const double nearest = std::round(exact);
  return static_cast<Index>(std::abs(exact - nearest) < 1e-6 ? nearest : std::trunc(exact));
}

std::optional<RotaryOperator> operator_of(const Model& model, const LayerGroup& group,
                                          Engine engine, Index length) {
  if (model.head_dim > kMostTurned) return std::nullopt;
  try {
    return rotary_operator(model, group, engine, length);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kUsage) throw;
    return std::nullopt;
  }
}

std::vector<EngineValue> engine_values(const Model& model, const LayerGroup& group, Index length,
                                       double (*value)(const RotaryOperator&)) {
  std::vector<EngineValue> values;
  for (const Engine engine : kEngines) {
    const std::optional<RotaryOperator> made = operator_of(model, group, engine, length);
    values.push_back({engine, made ? std::optional(value(*made)) : std::nullopt});
  }
  return values;
}

std::string engines_text(const std::vector<EngineValue>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  const auto& first = values.front().value;
  const bool agree =
      first && std::ranges::all_of(values, [&](const EngineValue& each) {
        return each.value && fmt::format("{:.6g}", *each.value) == fmt::format("{:.6g}", *first);
      });
  if (agree) return fmt::format("hf, llama.cpp and vllm give {:.6g} today, others differ", *first);
  for (const EngineValue& each : values)
    texts.push_back(each.value ? fmt::format("{} gives {:.6g}", name(each.engine), *each.value)
                               : fmt::format("{} refuses", name(each.engine)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void add_values(const std::vector<EngineValue>& values, LintFinding& finding) {
  for (const EngineValue& each : values)
    if (each.value) finding.values.emplace_back(name(each.engine), *each.value);
}

std::vector<std::optional<RotaryOperator>> sound_operators(const Model& model) {
  std::vector<std::optional<RotaryOperator>> operators;
  operators.reserve(model.groups.size());
  for (const LayerGroup& group : model.groups) {
    std::optional<RotaryOperator> made;
    if (group.kind == PositionKind::kRotary) made = operator_of(model, group);
    const auto is_number = [](const DoubleDouble& frequency) {
      return std::isfinite(frequency.high) && frequency.high >= 0.0;
    };
    if (made && !std::ranges::all_of(made->inv_freq, is_number)) made.reset();
    operators.push_back(std::move(made));
  }
  return operators;
}

const RotaryOperator* sound_operator(const LintSubject& subject, const LayerGroup& group) {
  const auto index = static_cast<std::size_t>(&group - subject.model.groups.data());
  if (index >= subject.operators.size() || !subject.operators[index]) return nullptr;
  return &*subject.operators[index];
}

}  // namespace sextant
