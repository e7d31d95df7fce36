// SPDX-License-Identifier: Apache-2.0
// What the rules of the linter share: where a config writes its keys, the groups they judge, and
// engines that may refuse.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/lint.h"

namespace sextant {

// An object of the config that holds keys of positions.
struct ConfigObject {
  std::string pointer = {};  // "", "/text_config", "/rope_scaling", ...
  const JsonInput* value = nullptr;
};

// The root, then the config of the language model inside it where there is one. Empty without a
// config.json.
std::vector<ConfigObject> config_scopes(const LintSubject& subject);

// rope_scaling and rope_parameters of every scope, and the objects per layer type in them.
std::vector<ConfigObject> rope_objects(const LintSubject& subject);

// The number of a key, or nothing where it is absent or something else.
std::optional<double> number_at(const ConfigObject& object, const std::string& key);

// Where the first of `spellings` stands that the group can read: in the object of its rule or in
// one around it. Where none is written, the first in the object of the rule. For a GGUF file the
// name of its key, by the first spelling.
std::string key_place(const LintSubject& subject, const LayerGroup& group,
                      std::initializer_list<std::string_view> spellings);
// The same for a key of the model as a whole.
std::string key_place(const LintSubject& subject,
                      std::initializer_list<std::string_view> spellings);

// Of the theta of a group: local layers may have a key of their own.
std::string theta_place(const LintSubject& subject, const LayerGroup& group);

std::vector<const LayerGroup*> turning_groups(const Model& model);

// How many coordinates of a head turn, by head_dim and the partial factor; nothing where head_dim
// is unknown. May be odd, 0 or more than head_dim: that is for a rule to say.
std::optional<Index> turned_dim(const Model& model, const LayerGroup& group);

// rotary_operator(), or nothing where its keys do not allow one (another rule says why) or where
// heads are wider than kMostTurned: no model has such heads, and a rule must stay quick.
inline constexpr Index kMostTurned = 8192;
std::optional<RotaryOperator> operator_of(const Model& model, const LayerGroup& group,
                                          Engine engine = Engine::kHuggingFace, Index length = 0);

// A number that each engine derives from the keys of a group; nothing where it refuses them.
struct EngineValue {
  Engine engine = Engine::kHuggingFace;
  std::optional<double> value = {};
};
std::vector<EngineValue> engine_values(const Model& model, const LayerGroup& group, Index length,
                                       double (*value)(const RotaryOperator&));
// "hf gives 1.2079, llama.cpp gives 1, vllm refuses".
std::string engines_text(const std::vector<EngineValue>& values);
// As `values` of a finding: "hf", "llama.cpp", "vllm".
void add_values(const std::vector<EngineValue>& values, LintFinding& finding);

// operator_of() of each group, without those that hold a frequency that is no number.
std::vector<std::optional<RotaryOperator>> sound_operators(const Model& model);

// That of a group of subject.model, or null.
const RotaryOperator* sound_operator(const LintSubject& subject, const LayerGroup& group);

}  // namespace sextant
