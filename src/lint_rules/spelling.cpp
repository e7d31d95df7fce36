// SPDX-License-Identifier: Apache-2.0
// R01-R07: where and how the keys are written. Engines look in different places and fall back to
// defaults in silence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "model/lint_places.h"
#include "model/phase_error.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

constexpr double kUsualTheta = 10000.0;  // what readers take where they find none
constexpr std::string_view kScalingKeys[] = {"factor",       "original_max_position_embeddings",
                                             "beta_fast",    "beta_slow",
                                             "mscale",       "mscale_all_dim",
                                             "truncate",     "attention_factor",
                                             "short_factor", "low_freq_factor",
                                             "long_factor",  "high_freq_factor"};

bool has(const ConfigObject& object, std::string_view key) {
  const auto found = object.value->find(key);
  return found != object.value->end() && !found->is_null();
}

// "su" and "longrope" are one type.
std::string canonical_type(const std::string& type) { return type == "su" ? "longrope" : type; }

// From which position a reader that misses the theta is wrong by more than 0.1.
std::optional<Index> departure_of_usual_theta(const Model& model, const LayerGroup& group) {
  LayerGroup usual = group;
  usual.rope.theta = kUsualTheta;
  const std::optional<RotaryOperator> meant = operator_of(model, group);
  const std::optional<RotaryOperator> used = operator_of(model, usual);
  if (!meant || !used || meant->inv_freq.size() != used->inv_freq.size()) return std::nullopt;
  return first_departure(doubles(meant->inv_freq), doubles(used->inv_freq), 0.1, Index{1} << 24);
}

void theta_location(const LintSubject& subject, Findings& findings) {
  for (const ConfigObject& scope : config_scopes(subject)) {
    const auto found = scope.value->find("rope_parameters");
    if (found == scope.value->end() || !found->is_object() || has(scope, "rope_theta")) continue;
    const std::string pointer = scope.pointer + "/rope_parameters";
    for (const LayerGroup* group : turning_groups(subject.model)) {
      if (!group->rope.pointer.starts_with(pointer) || !group->rope.theta) continue;
      if (*group->rope.theta == kUsualTheta) continue;
      const std::optional<Index> first = departure_of_usual_theta(subject.model, *group);
      LintFinding finding = {
          .severity = Severity::kNote,
          .where = group->rope.pointer + "/rope_theta",
          .message = fmt::format(
              "rope_theta {} stands only in rope_parameters: a reader from before transformers 5 "
              "finds none and uses 10000{}",
              shortest(*group->rope.theta),
              first ? fmt::format(", wrong by more than 0.1 from position {} on", *first) : ""),
          .change = fmt::format("for older readers, write rope_theta {} beside rope_parameters too",
                                shortest(*group->rope.theta)),
          .values = {{"theta", *group->rope.theta}, {"assumed", kUsualTheta}}};
      if (first) finding.values.emplace_back("first_position", static_cast<double>(*first));
      findings.push_back(std::move(finding));
    }
  }
}

// The places of one scope that say the theta of its full-attention layers.
std::vector<std::pair<std::string, double>> thetas_of(const ConfigObject& scope) {
  std::vector<std::pair<std::string, double>> thetas;
  const auto add = [&thetas](const ConfigObject& object, const std::string& key) {
    if (const std::optional<double> theta = number_at(object, key))
      thetas.emplace_back(fmt::format("{}/{}", object.pointer, key), *theta);
  };
  for (const char* key : {"rope_theta", "rotary_emb_base"}) add(scope, key);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto found = scope.value->find(key);
    if (found == scope.value->end() || !found->is_object()) continue;
    const ConfigObject object = {fmt::format("{}/{}", scope.pointer, key), &*found};
    add(object, "rope_theta");
    const auto full = found->find("full_attention");
    if (full != found->end() && full->is_object())
      add({object.pointer + "/full_attention", &*full}, "rope_theta");
  }
  return thetas;
}

void theta_twice(const LintSubject& subject, Findings& findings) {
  for (const ConfigObject& scope : config_scopes(subject)) {
    const auto thetas = thetas_of(scope);
    for (std::size_t k = 1; k < thetas.size(); ++k) {
      if (thetas[k].second == thetas[0].second) continue;
      findings.push_back(
          {.severity = Severity::kError,
           .where = thetas[k].first,
           .message =
               fmt::format("theta is {} here and {} at {}: which one turns the heads depends "
                           "on the engine, and the other is wrong from position 1 on",
                           shortest(thetas[k].second), shortest(thetas[0].second), thetas[0].first),
           .change = "keep the theta that the model was trained with, in one place",
           .values = {{"here", thetas[k].second}, {"other", thetas[0].second}}});
    }
  }
}

void type_twice(const LintSubject& subject, Findings& findings) {
  for (const ConfigObject& object : rope_objects(subject)) {
    const auto old_key = object.value->find("type"), new_key = object.value->find("rope_type");
    if (old_key == object.value->end() || new_key == object.value->end()) continue;
    if (!old_key->is_string() || !new_key->is_string()) continue;
    const auto old_type = old_key->get<std::string>(), new_type = new_key->get<std::string>();
    const bool same = canonical_type(old_type) == canonical_type(new_type);
    findings.push_back(
        {.severity = same ? Severity::kWarning : Severity::kError,
         .where = object.pointer + "/type",
         .message =
             same ? fmt::format("both type and rope_type say '{}': a strict reader stops at the "
                                "second",
                                escaped(new_type))
                  : fmt::format("type says '{}' but rope_type says '{}': engines read one of the "
                                "two, so positions are scaled by two different rules",
                                escaped(old_type), escaped(new_type)),
         .change = "keep rope_type and remove type"});
  }
}

std::vector<std::string_view> scaling_keys(const ConfigObject& object) {
  std::vector<std::string_view> present;
  std::ranges::copy_if(kScalingKeys, std::back_inserter(present),
                       [&](std::string_view key) { return has(object, key); });
  return present;
}

void default_with_scaling(const LintSubject& subject, Findings& findings) {
  for (const ConfigObject& object : rope_objects(subject)) {
    const std::string key = has(object, "rope_type") ? "rope_type" : "type";
    const auto type = object.value->find(key);
    if (type == object.value->end() || !type->is_string() || *type != "default") continue;
    const std::vector<std::string_view> present = scaling_keys(object);
    if (present.empty()) continue;
    findings.push_back(
        {.severity = Severity::kWarning,
         .where = fmt::format("{}/{}", object.pointer, key),
         .message = fmt::format("{} is 'default', which scales nothing, but {} {} written: an "
                                "engine that only asks whether the object is there takes it for a "
                                "scaling",
                                key, fmt::join(present, ", "), present.size() == 1 ? "is" : "are"),
         .change = "name the type that these keys belong to, or remove them",
         .values = {{"keys", static_cast<double>(present.size())}}});
  }
}

// Spellings of one thing: R02, R03 and R23 compare them.
constexpr std::string_view kAliases[] = {
    "type",       "rope_type", "rope_theta",        "rotary_dim",           "rotary_emb_base",
    "rotary_pct", "rope_pct",  "rotary_percentage", "partial_rotary_factor"};

// The object that holds a key and the key's name in it. Keys of GGUF lie in no object.
std::pair<std::string, std::string> parted(const std::string& pointer) {
  const std::size_t slash = pointer.rfind('/');
  if (slash == std::string::npos) return {"", pointer};
  return {pointer.substr(0, slash), pointer.substr(slash + 1)};
}

bool speaks_of_rotation(std::string_view pointer) {
  const std::string key = lower_ascii(pointer.substr(pointer.rfind('/') + 1));
  return key.find("rope") != key.npos || key.find("rotary") != key.npos ||
         key.find("yarn") != key.npos;
}

// The keys of rope objects, and keys of the root that are about rotation.
void keys_not_read(const LintSubject& subject, Findings& findings) {
  std::map<std::string, std::vector<const KeyUse*>> by_object;
  for (const KeyUse& key : subject.model.keys) {
    if (key.consumed || key.pointer.empty()) continue;
    const auto [object, name] = parted(key.pointer);
    if (std::ranges::find(kAliases, name) != std::end(kAliases)) continue;
    const bool inside = speaks_of_rotation(object);
    if (!inside && !speaks_of_rotation(key.pointer)) continue;
    const auto group = std::ranges::find(subject.model.groups, object,
                                         [](const LayerGroup& each) { return each.rope.pointer; });
    // Type default with scaling keys is R04.
    if (inside && group != subject.model.groups.end() && group->rope.type == "default" &&
        std::ranges::find(kScalingKeys, name) != std::end(kScalingKeys))
      continue;
    by_object[object].push_back(&key);
  }
  for (const auto& [object, keys] : by_object) {
    std::vector<std::string> texts;
    for (const KeyUse* key : keys)
      texts.push_back(fmt::format("{} ({})", escaped(parted(key->pointer).second),
                                  key->reason.empty() ? "not read" : key->reason));
    findings.push_back(
        {.severity = Severity::kWarning,
         .where = keys.size() == 1 || object.empty() ? keys.front()->pointer : object,
         .message = fmt::format("{} nothing: {}", keys.size() == 1 ? "a key does" : "keys do",
                                fmt::join(texts, ", ")),
         .change = "remove it, or correct its name or the type of the scaling",
         .values = {{"keys", static_cast<double>(keys.size())}}});
  }
}

struct Required {
  std::string_view type;
  std::array<std::string_view, 4> keys;
};
constexpr Required kRequired[] = {
    {"linear", {"factor"}},
    {"dynamic", {"factor"}},
    {"ntk", {"factor"}},
    {"yarn", {"factor"}},
    {"longrope", {"short_factor", "long_factor"}},
    {"llama3",
     {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"}},
    {"mrope", {"mrope_section"}},
};

bool is_written(const RopeKeys& rope, std::string_view key) {
  if (key == "factor") return rope.factor.has_value();
  if (key == "short_factor") return !rope.short_factor.empty();
  if (key == "long_factor") return !rope.long_factor.empty();
  if (key == "low_freq_factor") return rope.low_freq_factor.has_value();
  if (key == "high_freq_factor") return rope.high_freq_factor.has_value();
  if (key == "mrope_section") return !rope.mrope_section.empty();
  return rope.original.has_value();
}

void required_type(const LintSubject& subject, Findings& findings) {
  for (const ConfigObject& object : rope_objects(subject)) {
    if (has(object, "type") || has(object, "rope_type") || scaling_keys(object).empty()) continue;
    findings.push_back(
        {.severity = Severity::kError,
         .where = object.pointer + "/rope_type",
         .message = fmt::format("{} stands without a type: an engine stops, or leaves positions "
                                "unscaled from the first one on",
                                scaling_keys(object).front()),
         .change = "write rope_type, the rule that these keys belong to"});
  }
}

void required_key(const LintSubject& subject, Findings& findings) {
  required_type(subject, findings);
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const auto rule = std::ranges::find(kRequired, group->rope.type, &Required::type);
    if (rule == std::end(kRequired)) continue;
    for (const std::string_view key : rule->keys) {
      if (key.empty() || is_written(group->rope, key)) continue;
      // In GGUF the lists and the bands of llama3 are tensors.
      if (!subject.files.config && key != "factor") continue;
      findings.push_back(
          {.severity = Severity::kError,
           .where = key_place(subject, *group, {key}),
           .message = fmt::format("the type {} needs {}, which is not written: an engine stops, or "
                                  "leaves positions unscaled from the first one on",
                                  group->rope.type, key),
           .change = fmt::format("write {}, with the value of training", key)});
    }
  }
}

void nested_conflict(const LintSubject& subject, Findings& findings) {
  const std::vector<ConfigObject> scopes = config_scopes(subject);
  for (std::size_t k = 1; k < scopes.size(); ++k) {
    for (const char* key : {"rope_theta", "max_position_embeddings", "head_dim", "hidden_size",
                            "num_attention_heads", "partial_rotary_factor"}) {
      const std::optional<double> outer = number_at(scopes[0], key);
      const std::optional<double> inner = number_at(scopes[k], key);
      if (!outer || !inner || *outer == *inner) continue;
      findings.push_back(
          {.severity = Severity::kNote,
           .where = fmt::format("/{}", key),
           .message = fmt::format("{} is {} at the root and {} in {}: a reader that does not know "
                                  "the nesting takes the root's",
                                  key, shortest(*outer), shortest(*inner), scopes[k].pointer),
           .change = "remove the one at the root, or make both equal",
           .values = {{"root", *outer}, {"nested", *inner}}});
    }
  }
}

constexpr std::string_view kR01[] = {"DeepSpeed#8341", "DeepSpeed#8345", "DeepSpeed#8373"};
constexpr std::string_view kR02[] = {"DeepSpeed#8341", "SpecForge#651"};
constexpr std::string_view kR03[] = {"mlxcel#1386", "transformers#33401"};
constexpr std::string_view kR04[] = {"aiter#4742"};
constexpr std::string_view kR05[] = {"mlx-vlm#1710", "vllm#46280", "Megatron-LM#6305"};
constexpr std::string_view kR06[] = {"llama.cpp#13312", "aiter#4742"};
constexpr std::string_view kR07[] = {"mlx-vlm#1710"};

constexpr LintRule kRules[] = {
    {.id = "R01",
     .name = "theta-location",
     .title = "rope_theta stands only in rope_parameters",
     .severity = Severity::kNote,
     .background =
         "transformers 5 moved rope_theta into rope_parameters. Programs that ask the config for "
         "rope_theta with a default get the default, 10000, and no message.",
     .references = kR01,
     .broken = R"({"rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}})",
     .fixed = R"({"rope_theta": 1000000.0,
 "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}})",
     .check = theta_location},
    {.id = "R02",
     .name = "theta-twice",
     .title = "theta is written in two places with two values",
     .severity = Severity::kError,
     .background =
         "theta may stand at the root, in rope_scaling and in rope_parameters. Engines look in "
         "different places first; with two values at most one of them runs the trained model.",
     .references = kR02,
     .broken = R"({"rope_theta": 10000.0,
 "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}})",
     .fixed = R"({"rope_theta": 1000000.0,
 "rope_parameters": {"rope_type": "default", "rope_theta": 1000000.0}})",
     .check = theta_twice},
    {.id = "R03",
     .name = "type-twice",
     .title = "type and rope_type stand side by side",
     .severity = Severity::kError,
     .background =
         "rope_type replaced type, and saving a config can leave both. A strict reader refuses "
         "two names for one thing; where the two differ, engines scale by different rules.",
     .references = kR03,
     .broken = R"({"rope_scaling": {"type": "yarn", "rope_type": "linear", "factor": 4.0}})",
     .fixed = R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}})",
     .check = type_twice},
    {.id = "R04",
     .name = "default-with-scaling",
     .title = "rope_type is default, yet keys of a scaling are there",
     .severity = Severity::kWarning,
     .background =
         "The type default means no scaling. Some engines only test whether rope_scaling is there "
         "and then read a factor from it; others drop the factor that somebody meant to set.",
     .references = kR04,
     .broken = R"({"rope_scaling": {"rope_type": "default", "factor": 4.0}})",
     .fixed = R"({"rope_scaling": {"rope_type": "linear", "factor": 4.0}})",
     .check = default_with_scaling},
    {.id = "R05",
     .name = "keys-not-read",
     .title = "keys that this type of scaling does not read",
     .severity = Severity::kWarning,
     .background =
         "A misspelt key, or one of another type, is accepted and dropped in silence. The model "
         "then runs with the default in place of the value that stands in the file.",
     .references = kR05,
     .broken = R"({"rope_scaling": {"rope_type": "linear", "factor": 4.0, "beta_fast": 32.0}})",
     .fixed = R"({"rope_scaling": {"rope_type": "linear", "factor": 4.0}})",
     .check = keys_not_read},
    {.id = "R06",
     .name = "required-key",
     .title = "a key that the type of scaling needs is missing",
     .severity = Severity::kError,
     .background =
         "linear, dynamic and yarn need a factor, longrope its two lists, llama3 a factor, two "
         "bands and the trained length. Without them an engine stops or scales nothing.",
     .references = kR06,
     .broken = R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}})",
     .fixed = R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0,
  "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})",
     .check = required_key},
    {.id = "R07",
     .name = "nested-conflict",
     .title = "the root and the nested text config differ",
     .severity = Severity::kNote,
     .background =
         "Configs of vision-language models nest the language model. Keys that also stand at the "
         "root are read by programs that do not know the nesting.",
     .references = kR07,
     .broken = R"({"max_position_embeddings": 4096,
 "text_config": {"max_position_embeddings": 131072}})",
     .fixed = R"({"text_config": {"max_position_embeddings": 131072}})",
     .check = nested_conflict},
};

}  // namespace

void register_spelling(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
