// SPDX-License-Identifier: Apache-2.0
// What of a model is extended: its ladder without scaling, the length it was trained at, and the
// present rule with another factor.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "base/check.h"
#include "base/rounding.h"
#include "model/extension.h"
#include "model/families.h"
#include "model/rope_keys.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

// base, partial and pairing of a spec; what else it says is the scaling.
std::string unscaled_spec(const std::string& spec) {
  const EncodingSpec parsed = EncodingSpec::parse(spec);
  EncodingSpec::Term plain;
  plain.name = "rope";
  for (const EncodingSpec::Argument& argument : parsed.terms.front().arguments) {
    if (argument.key == "base" || argument.key == "partial" || argument.key == "pairing")
      plain.arguments.push_back(argument);
  }
  return EncodingSpec{.terms = {plain}}.text();
}

bool full_attention(const LayerGroup& group) {
  return group.kind == PositionKind::kRotary && group.name.find("sliding") == std::string::npos &&
         group.name.find("chunked") == std::string::npos;
}

// dynamic counts from max_position_embeddings, and so do yarn, llama3 and longrope without an
// original length. linear and ntk do not count: the key is the length before them (Vicuna 16k) or
// after them (Gemma 3).
Index length_before_scaling(const Model& model, const RopeKeys& keys) {
  if (!is_scaled(keys)) return model.max_positions;
  if (keys.original) return static_cast<Index>(*keys.original);
  const std::string key = model.gguf
                              ? fmt::format("{}.rope.scaling.original_context_length", model.family)
                              : fmt::format("{}/original_max_position_embeddings", keys.pointer);
  require(keys.type != "linear" && keys.type != "ntk", model.source,
          "{} is missing: nothing says whether the longest position is that before {} scaling or "
          "after it; add the key with the length before scaling",
          key, keys.type);
  return model.max_positions;
}

// Where the file has a value that was read: of one of these names, in no rope object.
std::string read_pointer(const Model& model, std::initializer_list<std::string_view> names) {
  for (const KeyUse& use : model.keys) {
    const std::string_view pointer = use.pointer;
    const std::string_view key = pointer.substr(pointer.rfind('/') + 1);
    if (use.consumed && pointer.starts_with('/') &&
        pointer.find("/rope_parameters/") == pointer.npos &&
        pointer.find("/rope_scaling/") == pointer.npos &&
        std::ranges::find(names, key) != names.end())
      return use.pointer;
  }
  return "";
}

// The present rule with the factor of the new length. Pairs that did not complete a turn in
// training are slowed once more in the lists of longrope, by what the length grows.
ContinuedRule continued_rule(const Model& model, const LayerGroup& group, Engine engine,
                             const ExtensionSubject& subject, const RotaryOperator& unscaled) {
  const auto trained = static_cast<double>(subject.trained);
  const auto to = static_cast<double>(subject.to);
  LayerGroup next = group;
  RopeKeys& keys = next.rope;
  const double present = std::max(trained, static_cast<double>(model.max_positions));
  keys.factor = to / trained;
  keys.attention_factor.reset();
  if (keys.type == "yarn" || keys.type == "llama3" || keys.type == "longrope")
    keys.original = trained;
  const std::vector<double> growth =
      longrope_start(unscaled, subject.trained, std::max(1.0, to / present));
  for (std::size_t i = 0; i < std::min(growth.size(), keys.long_factor.size()); ++i)
    keys.long_factor[i] *= growth[i];
  Model longer = model;
  longer.max_positions = keys.type == "dynamic" ? subject.trained : subject.to;
  return {.keys = keys, .ladder = rotary_operator(longer, next, engine, subject.to)};
}

void add_present(const Model& model, const LayerGroup& group, Engine engine,
                 const RotaryOperator& unscaled, ExtensionSubject& subject) {
  const RopeKeys& keys = group.rope;
  subject.present = rotary_operator(model, group, engine, subject.to);
  require(subject.present->inv_freq.size() == unscaled.inv_freq.size(), model.source,
          "its rule must turn the {} pairs of the unscaled ladder but turns {}",
          unscaled.inv_freq.size(), subject.present->inv_freq.size());
  if (keys.type != "ntk")
    subject.continued = continued_rule(model, group, engine, subject, unscaled);
  subject.notes.push_back(fmt::format(
      "the model is extended already ({}): all rules start from its original length {} and the "
      "unscaled ladder",
      keys.type, subject.trained));
}

void add_notes(const Model& model, const LayerGroup& group, ExtensionSubject& subject) {
  if (model.groups.size() > 1)
    subject.notes.push_back(
        fmt::format("extended are the layers '{}' only; the others keep their rule", group.name));
  if (model.gguf)
    subject.notes.emplace_back(
        "the printed keys are those of config.json; in GGUF they are rope.scaling.type, .factor, "
        ".original_context_length and context_length of the architecture");
  if (model.latent_attention)
    subject.notes.emplace_back(
        "latent attention: the factor on logits that engines add for yarn is not part of the rows");
  if (!group.rope.mrope_section.empty())
    subject.notes.emplace_back("several axes: measured for text, where all coordinates are equal");
}

}  // namespace

std::vector<double> longrope_start(const RotaryOperator& unscaled, Index trained, double factor) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  std::vector<double> factors;
  factors.reserve(unscaled.inv_freq.size());
  for (const DoubleDouble& w : unscaled.inv_freq) {
    const bool turns = static_cast<double>(trained) * to_double(w) >= kTurn;
    factors.push_back(turns ? 1.0 : factor);
  }
  return factors;
}

std::string family_limit(const ExtensionSubject& subject) {
  if (subject.only.empty()) return "";
  if (subject.only == "none")
    return fmt::format(
        "the programs of family '{}' read no rule from config.json and must be changed for any",
        subject.family);
  return fmt::format("the programs of family '{}' agree on no rule but {}", subject.family,
                     subject.only);
}

ExtensionSubject extension_subject(const Model& model, Index to, Engine engine) {
  const auto group = std::ranges::find_if(model.groups, full_attention);
  require(group != model.groups.end(), model.source,
          "has no layer of full attention with rotary positions: there is nothing to extend");
  const RopeKeys& keys = group->rope;
  require(keys.type != "proportional", model.source,
          "the rule 'proportional' has no extension: its slow pairs do not turn");
  require(keys.divisors.empty(), model.source,
          "has a list of divisors in place of a rule; extend the config.json it was made from");
  LayerGroup plain = *group;
  plain.rope = RopeKeys{.pointer = keys.pointer,
                        .type = keys.type == "mrope" ? "mrope" : "default",
                        .theta = keys.theta,
                        .partial = keys.partial,
                        .mrope_section = keys.mrope_section,
                        .mrope_interleaved = keys.mrope_interleaved};
  const RotaryOperator unscaled = rotary_operator(model, plain, engine);
  const Family* family = family_of(model);
  ExtensionSubject subject{.spec = unscaled_spec(unscaled.spec),
                           .head_dim = unscaled.head_dim,
                           .trained = length_before_scaling(model, keys),
                           .to = to,
                           .family = model.family,
                           .only = std::string(family == nullptr ? "" : family->scaling),
                           .length_pointer = read_pointer(model, kLengthKeys),
                           .theta_pointer = read_pointer(model, kThetaKeys),
                           .keys = keys,
                           .notes = unscaled.assumptions};
  require(subject.trained >= 2, model.source, "does not say the length it was trained at");
  require(to > subject.trained, "--to", "must exceed the trained length {} but got {}",
          subject.trained, to);
  require(to <= kLongestExtension, "--to", "must be at most {} but got {}", kLongestExtension, to);
  if (is_scaled(keys)) add_present(model, *group, engine, unscaled, subject);
  add_notes(model, *group, subject);
  return subject;
}

}  // namespace sextant
