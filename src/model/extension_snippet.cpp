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

// Where an object of rope keys stands: parents before it, and a layer type after it.
struct SnippetPlace {
  std::vector<std::string> parents = {};
  std::string layer_type = {};
};

SnippetPlace place_of(const std::string& pointer) {
  SnippetPlace place;
  bool seen = false;
  for (const std::string_view part : split(pointer, '/')) {
    if (part.empty()) continue;
    if (part.starts_with("rope_")) {
      seen = true;
    } else if (seen) {
      place.layer_type = std::string(part);
    } else {
      place.parents.emplace_back(part);
    }
  }
  return place;
}

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

// The rule's own keys. A factor is written as 4.0: some parsers want a float.
Json rule_keys(const ExtensionSubject& subject, const ExtensionCandidate& candidate,
               ConfigSpelling spelling) {
  const std::string& method = candidate.method;
  Json rule = Json::object();
  rule["rope_type"] = method == "ntk" ? "default" : method;
  if (method == "ntk") return rule;
  rule["factor"] = candidate.factor;
  const bool root_original = method == "longrope" && spelling == ConfigSpelling::kV4;
  if (method != "linear" && method != "dynamic" && !root_original)
    rule["original_max_position_embeddings"] = subject.trained;
  if (method == "llama3") {
    rule["low_freq_factor"] = 1.0;
    rule["high_freq_factor"] = 4.0;
  }
  if (method == "longrope") {
    const std::vector<double> factors = longrope_start(operator_of(subject.spec, subject.head_dim),
                                                       subject.trained, candidate.factor);
    rule["short_factor"] = std::vector<double>(factors.size(), 1.0);
    rule["long_factor"] = factors;
  }
  if (method == "yarn" && subject.keys.type == "yarn") {
    const RopeKeys& keys = subject.keys;
    if (keys.beta_fast) rule["beta_fast"] = number_json(*keys.beta_fast);
    if (keys.beta_slow) rule["beta_slow"] = number_json(*keys.beta_slow);
    if (keys.mscale) rule["mscale"] = *keys.mscale;
    if (keys.mscale_all_dim) rule["mscale_all_dim"] = *keys.mscale_all_dim;
    if (keys.truncate) rule["truncate"] = *keys.truncate;
  }
  return rule;
}

}  // namespace

ConfigSpelling spelling_of(const RopeKeys& keys) {
  return keys.pointer.find("rope_parameters") != std::string::npos ? ConfigSpelling::kV5
                                                                   : ConfigSpelling::kV4;
}

Json extension_snippet(const ExtensionSubject& subject, const ExtensionCandidate& candidate,
                       ConfigSpelling spelling) {
  Json own = Json::object();
  if (candidate.map) return own;
  // Engines take dynamic's trained length from max_position_embeddings.
  own["max_position_embeddings"] = candidate.method == "dynamic" ? subject.trained : subject.to;
  Json rule = rule_keys(subject, candidate, spelling);
  const Json theta = number_json(extended_theta(subject, candidate));
  const SnippetPlace place = place_of(subject.keys.pointer);
  if (!subject.keys.mrope_section.empty()) {
    rule["mrope_section"] = subject.keys.mrope_section;
    if (subject.keys.mrope_interleaved) rule["mrope_interleaved"] = true;
  }
  if (spelling == ConfigSpelling::kV4) {
    own["rope_theta"] = theta;
    if (candidate.method == "longrope") own["original_max_position_embeddings"] = subject.trained;
    if (candidate.method == "ntk" && subject.keys.mrope_section.empty()) {
      own["rope_scaling"] = nullptr;
    } else {
      own["rope_scaling"] = rule;
    }
  } else {
    rule["rope_theta"] = theta;
    if (subject.keys.partial) rule["partial_rotary_factor"] = *subject.keys.partial;
    if (place.layer_type.empty()) {
      own["rope_parameters"] = rule;
    } else {
      own["rope_parameters"][place.layer_type] = rule;
    }
  }
  for (auto parent = place.parents.rbegin(); parent != place.parents.rend(); ++parent) {
    Json outer = Json::object();
    outer[*parent] = std::move(own);
    own = std::move(outer);
  }
  return own;
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
    remarks.push_back(spelling == ConfigSpelling::kV5
                          ? "remove rope_theta and rope_scaling: rope_parameters takes their place"
                          : "remove rope_parameters: rope_theta and rope_scaling take its place");
  if (candidate.method == "dynamic") {
    remarks.push_back(fmt::format(
        "max_position_embeddings stays {}: engines take the trained length from it; tell them the "
        "new length elsewhere (vLLM: --max-model-len, tokenizer: model_max_length)",
        subject.trained));
    remarks.push_back("the base moves with the sequence: keys cached at another length are stale");
    remarks.push_back("measured at the new length; sequences up to the trained one do not change");
  }
  if (candidate.method == "longrope") {
    remarks.push_back(
        "a start for a search, not the searched factors of the paper (arXiv:2402.13753): 1 for "
        "pairs that complete a turn in training, the factor for the others");
    remarks.push_back(fmt::format(
        "the lists change at {} tokens: keys cached before are stale after", subject.trained));
  }
  if (candidate.method == "ntk")
    remarks.push_back("a larger rope_theta for all lengths: short sequences change too");
  if (candidate.method == "yarn" && subject.keys.type == "yarn" && subject.keys.attention_factor)
    remarks.push_back("the explicit attention_factor is left out: it belongs to the old factor");
  return remarks;
}

}  // namespace sextant
