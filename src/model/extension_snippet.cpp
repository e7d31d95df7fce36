// SPDX-License-Identifier: Apache-2.0
// An extension in the keys of config.json.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "model/conversion.h"
#include "model/extension.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

// The object that holds the length and the rope object: "" or "/text_config".
std::string section_of(const ExtensionSubject& subject) {
  const std::string& length = subject.length_pointer;
  if (!length.empty()) return length.substr(0, length.rfind('/'));
  const std::string& rope = subject.keys.pointer;
  const std::size_t end = rope.find("/rope_");
  return end == std::string::npos ? "" : rope.substr(0, end);
}

// "/full_attention" of "/rope_parameters/full_attention".
std::string layer_type_of(const RopeKeys& keys) {
  constexpr std::string_view kObject = "/rope_parameters";
  const std::size_t at = keys.pointer.find(kObject);
  return at == std::string::npos ? "" : keys.pointer.substr(at + kObject.size());
}

// The value at a pointer, in objects that are made on the way.
Json& value_at(Json& root, const std::string& pointer) {
  Json* value = &root;
  for (const std::string_view part : split(pointer, '/'))
    if (!part.empty()) value = &(*value)[std::string(part)];
  return *value;
}

std::string length_pointer(const ExtensionSubject& subject) {
  if (!subject.length_pointer.empty()) return subject.length_pointer;
  return section_of(subject) + "/max_position_embeddings";
}

std::string theta_pointer(const ExtensionSubject& subject) {
  if (!subject.theta_pointer.empty()) return subject.theta_pointer;
  return section_of(subject) + "/rope_theta";
}

std::string last_part(const std::string& pointer) { return pointer.substr(pointer.rfind('/') + 1); }

// Integers stay integers, as configs have them.
Json number_json(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<Index>(value);
  return value;
}

double base_of(const std::string& spec) {
  const EncodingSpec parsed = EncodingSpec::parse(spec);
  for (const EncodingSpec::Argument& argument : parsed.terms.front().arguments)
    if (argument.key == "base") return parse_number(argument.value).value_or(10000.0);
  return 10000.0;
}

// ntk has no key: it is a larger theta, base f^(d/(d-2)).
double extended_theta(const ExtensionSubject& subject, const ExtensionCandidate& candidate) {
  const double base = base_of(subject.spec);
  const auto d = static_cast<double>(candidate.ladder.rotary_dim);
  return candidate.method == "ntk" ? base * std::pow(candidate.factor, d / (d - 2.0)) : base;
}

// A rule that the model does not have yet.
RopeKeys fresh_keys(const ExtensionSubject& subject, const ExtensionCandidate& candidate) {
  const std::string& method = candidate.method;
  RopeKeys keys{.type = method, .factor = candidate.factor};
  if (method != "linear" && method != "dynamic")
    keys.original = static_cast<double>(subject.trained);
  if (method == "llama3") {
    keys.low_freq_factor = 1.0;
    keys.high_freq_factor = 4.0;
  }
  if (method == "longrope") {
    keys.long_factor = longrope_start(operator_of(subject.spec, subject.head_dim), subject.trained,
                                      candidate.factor);
    keys.short_factor.assign(keys.long_factor.size(), 1.0);
  }
  return keys;
}

bool continues(const ExtensionSubject& subject, const ExtensionCandidate& candidate) {
  return subject.continued && candidate.method == subject.keys.type;
}

// The rule's own keys. A factor is written as 4.0: some parsers want a float. transformers 4 takes
// the two lengths of longrope from beside the object, and allows Phi 3 no key but these three.
Json rule_keys(const ExtensionSubject& subject, const ExtensionCandidate& candidate,
               ConfigSpelling spelling) {
  Json rule = Json::object();
  if (candidate.method == "ntk") {
    rule["rope_type"] = "default";
    return rule;
  }
  const RopeKeys keys =
      continues(subject, candidate) ? subject.continued->keys : fresh_keys(subject, candidate);
  const bool beside = keys.type == "longrope" && spelling == ConfigSpelling::kV4;
  rule[beside && subject.only == "longrope" ? "type" : "rope_type"] = keys.type;
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) rule[key] = *value;
  };
  const auto add_whole = [&](const char* key, const std::optional<double>& value) {
    if (value) rule[key] = number_json(*value);
  };
  if (!beside) {
    add("factor", keys.factor);
    add_whole("original_max_position_embeddings", keys.original);
  }
  add("low_freq_factor", keys.low_freq_factor);
  add("high_freq_factor", keys.high_freq_factor);
  add_whole("beta_fast", keys.beta_fast);
  add_whole("beta_slow", keys.beta_slow);
  add("mscale", keys.mscale);
  add("mscale_all_dim", keys.mscale_all_dim);
  add("attn_factor", keys.attn_factor);
  if (keys.truncate) rule["truncate"] = *keys.truncate;
  add("short_mscale", keys.short_mscale);
  add("long_mscale", keys.long_mscale);
  if (!keys.short_factor.empty()) rule["short_factor"] = keys.short_factor;
  if (!keys.long_factor.empty()) rule["long_factor"] = keys.long_factor;
  return rule;
}

}  // namespace

ConfigSpelling spelling_of(const RopeKeys& keys) {
  return keys.pointer.find("rope_parameters") != std::string::npos ? ConfigSpelling::kV5
                                                                   : ConfigSpelling::kV4;
}

Json extension_snippet(const ExtensionSubject& subject, const ExtensionCandidate& candidate,
                       ConfigSpelling spelling) {
  Json json = Json::object();
  if (candidate.map) return json;
  const std::string section = section_of(subject);
  // Engines take dynamic's trained length from max_position_embeddings.
  value_at(json, length_pointer(subject)) =
      candidate.method == "dynamic" ? subject.trained : subject.to;
  Json rule = rule_keys(subject, candidate, spelling);
  const Json theta = number_json(extended_theta(subject, candidate));
  if (!subject.keys.mrope_section.empty()) {
    rule["mrope_section"] = subject.keys.mrope_section;
    if (subject.keys.mrope_interleaved) rule["mrope_interleaved"] = true;
  }
  if (spelling == ConfigSpelling::kV5) {
    rule["rope_theta"] = theta;
    if (subject.keys.partial) rule["partial_rotary_factor"] = *subject.keys.partial;
    value_at(json, section + "/rope_parameters" + layer_type_of(subject.keys)) = rule;
    return json;
  }
  value_at(json, theta_pointer(subject)) = theta;
  if (candidate.method == "longrope")
    value_at(json, section + "/original_max_position_embeddings") = subject.trained;
  const bool plain = candidate.method == "ntk" && subject.keys.mrope_section.empty();
  value_at(json, section + "/rope_scaling") = plain ? Json() : rule;
  return json;
}

std::vector<std::string> extension_remarks(const ExtensionSubject& subject,
                                           const ExtensionCandidate& candidate,
                                           ConfigSpelling spelling) {
  std::vector<std::string> remarks;
  if (candidate.map && candidate.map->group > 0)
    remarks.push_back(fmt::format(
        "no key expresses it: the engine must compute two logits per pair, with positions as they "
        "are up to lag {}, and beyond it with floor(t/{}) for keys and floor(s/{}) + {} for "
        "queries",
        candidate.map->window, candidate.map->group, candidate.map->group,
        candidate.map->window - candidate.map->window / candidate.map->group));
  if (candidate.map && candidate.map->group == 0)
    remarks.push_back(fmt::format(
        "no key expresses it: the engine must compute two logits per pair, with positions as they "
        "are up to lag {}, and with lag {} for all keys beyond it",
        candidate.map->window, candidate.map->window));
  if (candidate.map)
    remarks.push_back("keys must be cached before they turn: the angle depends on the query");
  if (!candidate.map && spelling != spelling_of(subject.keys))
    remarks.push_back(
        spelling == ConfigSpelling::kV5
            ? fmt::format("remove {} and rope_scaling: rope_parameters takes their place",
                          last_part(theta_pointer(subject)))
            : "remove rope_parameters: rope_theta and rope_scaling take its place");
  if (!candidate.map && candidate.method != subject.only && !subject.only.empty())
    remarks.push_back(family_limit(subject));
  if (candidate.method == "dynamic") {
    remarks.push_back(
        fmt::format("{} stays {}: engines take the trained length from it; tell them the "
                    "new length elsewhere (vLLM: --max-model-len, tokenizer: model_max_length)",
                    last_part(length_pointer(subject)), subject.trained));
    remarks.push_back("the base moves with the sequence: keys cached at another length are stale");
    remarks.push_back("measured at the new length; sequences up to the trained one do not change");
  }
  if (candidate.method == "longrope") {
    remarks.push_back(
        continues(subject, candidate)
            ? "the model's own lists; pairs that do not complete a turn in training are slowed by "
              "what the length grows: a start for a search (arXiv:2402.13753)"
            : "a start for a search, not the searched factors of the paper (arXiv:2402.13753): 1 "
              "for pairs that complete a turn in training, the factor for the others");
    remarks.push_back(fmt::format(
        "the lists change at {} tokens: keys cached before are stale after", subject.trained));
  }
  if (candidate.method == "ntk")
    remarks.push_back("a larger rope_theta for all lengths: short sequences change too");
  if (continues(subject, candidate) && subject.keys.attention_factor)
    remarks.push_back("the explicit attention_factor is left out: it belongs to the old factor");
  return remarks;
}

}  // namespace sextant
