// SPDX-License-Identifier: Apache-2.0
#include "model/rope_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace sextant {
namespace {

struct Spelling {
  std::string_view written = {};
  std::string_view type = {};
};
constexpr Spelling kTypes[] = {
    {"default", "default"},    {"none", "default"},      {"linear", "linear"},
    {"dynamic", "dynamic"},    {"ntk", "ntk"},           {"yarn", "yarn"},
    {"deepseek_yarn", "yarn"}, {"longrope", "longrope"}, {"su", "longrope"},
    {"llama3", "llama3"},      {"mrope", "mrope"},       {"proportional", "proportional"},
};

constexpr std::string_view kTemperature =
    "scales queries by their position; no part of the rotary operator";

std::string known_type(const JsonNode& node) {
  const std::string& written = node.text();
  const auto found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                  [&](const Spelling& s) { return s.written == written; });
  if (found != std::end(kTypes)) return std::string(found->type);
  std::vector<std::string> names;
  names.reserve(std::size(kTypes));
  for (const Spelling& spelling : kTypes) names.emplace_back(spelling.written);
  node.fail_here("unknown rope type '{}'{}", escaped(written), suggestion(written, names));
}

// Which keys a rule reads besides theta and partial; the others are ignored by name.
bool reads(std::string_view type, std::string_view key) {
  const auto among = [&](std::initializer_list<std::string_view> keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  if (type == "linear" || type == "ntk" || type == "proportional") return key == "factor";
  if (type == "dynamic") return among({"factor", "original_max_position_embeddings"});
  if (type == "yarn")
    return among({"factor", "original_max_position_embeddings", "attention_factor", "attn_factor",
                  "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate"});
  if (type == "llama3")
    return among(
        {"factor", "original_max_position_embeddings", "low_freq_factor", "high_freq_factor"});
  if (type == "longrope")
    return among({"factor", "original_max_position_embeddings", "attention_factor", "short_factor",
                  "long_factor", "short_mscale", "long_mscale"});
  return false;
}

void read_type(const ConfigSection& object, RopeKeys& keys) {
  if (const auto node = object.take({"rope_type", "type"})) keys.type = known_type(*node);
}

// Everything that one rope object says. Keys that its type does not read are kept, so that the
// linter sees them, and listed as ignored.
void read_object(const ConfigSection& object, RopeKeys& keys) {
  keys.pointer = object.node().pointer();
  read_type(object, keys);
  if (const auto theta = object.number({"rope_theta", "theta", "base"})) keys.theta = theta;
  if (const auto partial = object.number({"partial_rotary_factor", "rotary_pct"}))
    keys.partial = partial;
  const auto number = [&](std::string_view name, std::optional<double>& target) {
    if (const auto value = object.number({name})) target = value;
    if (!reads(keys.type, name)) object.ignore(name, fmt::format("not read by {}", keys.type));
  };
  number("factor", keys.factor);
  if (const auto original = object.size({"original_max_position_embeddings"}, kMostPositions))
    keys.original = static_cast<double>(*original);
  if (!reads(keys.type, "original_max_position_embeddings"))
    object.ignore("original_max_position_embeddings", fmt::format("not read by {}", keys.type));
  number("attention_factor", keys.attention_factor);
  number("attn_factor", keys.attn_factor);
  number("beta_fast", keys.beta_fast);
  number("beta_slow", keys.beta_slow);
  number("mscale", keys.mscale);
  number("mscale_all_dim", keys.mscale_all_dim);
  number("low_freq_factor", keys.low_freq_factor);
  number("high_freq_factor", keys.high_freq_factor);
  number("short_mscale", keys.short_mscale);
  number("long_mscale", keys.long_mscale);
  keys.truncate = object.flag({"truncate"});
  keys.short_factor = object.numbers("short_factor");
  keys.long_factor = object.numbers("long_factor");
  for (const std::string_view name : {"truncate", "short_factor", "long_factor"})
    if (!reads(keys.type, name)) object.ignore(name, fmt::format("not read by {}", keys.type));
  if (const auto sections = object.take({"mrope_section", "mrope_sections"}))
    for (std::size_t i = 0; i < sections->size(); ++i)
      keys.mrope_section.push_back(size_of(sections->at(i), kMostSize));
  keys.mrope_interleaved = object.flag({"mrope_interleaved"}).value_or(false);
  if (const auto alpha = object.take({"alpha"}))
    alpha->fail_here("the alpha of dynamic scaling is recognised but not supported");
  object.ignore("llama_4_scaling_beta", kTemperature);
  object.take({"finetuned"});  // YaRN's own models say so of themselves; nothing follows from it
  object.ignore_rest("unknown");
}

// Keys beside the rope object: those inside it come first, except the trained length, which
// transformers takes from here (Phi 3).
void read_beside(const ConfigSection& section, Index head_dim, RopeKeys& keys) {
  const auto theta = section.number(kThetaKeys);
  if (keys.theta && theta) {
    for (const std::string_view name : {"rope_theta", "rotary_emb_base", "global_rope_theta"})
      section.ignore(name, fmt::format("{}/rope_theta is read instead", keys.pointer));
  } else if (theta) {
    keys.theta = theta;
  }
  const std::optional<double> inside = keys.partial;
  if (const auto partial =
          section.number({"partial_rotary_factor", "rotary_pct", "rotary_percentage", "rope_pct",
                          "rotary_emb_fraction"})) {
    if (!inside) keys.partial = partial;
    if (inside)
      section.ignore("partial_rotary_factor",
                     fmt::format("{}/partial_rotary_factor is read instead", keys.pointer));
  }
  if (keys.partial) {
    section.ignore("rotary_dim", "a fraction is read instead");
  } else if (const auto part = section.size({"rotary_dim", "rotary_ndims"})) {
    keys.partial = fraction_of(*part, head_dim);
    if (!keys.partial)
      section.ignore("rotary_dim", fmt::format("{} of {} coordinates", *part, head_dim));
  }
  if (const auto original = section.size({"original_max_position_embeddings"}, kMostPositions))
    keys.original = static_cast<double>(*original);
}

bool speaks_of_rotation(const ConfigSection& section) {
  for (const std::string_view name :
       {"rope_theta", "rope_scaling", "rope_parameters", "rotary_emb_base", "rotary_pct",
        "rotary_dim", "partial_rotary_factor", "global_rope_theta", "rope_base"})
    if (section.has(name)) return true;
  return false;
}

bool nested(const JsonNode& object) {
  const auto members = object.members();
  return std::any_of(members.begin(), members.end(),
                     [](const auto& member) { return member.second.is_object(); });
}

}  // namespace

std::optional<double> fraction_of(Index part, Index whole) {
  if (part < 1 || part > whole) return std::nullopt;
  double fraction = static_cast<double>(part) / static_cast<double>(whole);
  if (std::floor(fraction * static_cast<double>(whole)) < static_cast<double>(part))
    fraction = std::nextafter(fraction, 2.0);
  return fraction;
}

RopeTable read_rope_table(const ConfigSection& section, Index head_dim) {
  RopeTable table;
  table.written = speaks_of_rotation(section);
  const bool old_spelling = section.has("rope_scaling");
  if (old_spelling) section.ignore("rope_parameters", "rope_scaling is read instead");
  const auto object = section.section(old_spelling ? "rope_scaling" : "rope_parameters");
  if (!object || !nested(object->node())) {
    if (object) read_object(*object, table.all);
    read_beside(section, head_dim, table.all);
    return table;
  }
  for (const auto& [type, node] : object->node().members()) {
    if (!node.is_object() && !node.is_null()) continue;
    std::optional<RopeKeys>& keys = table.by_type[type];
    const std::optional<ConfigSection> part = node.is_null() ? std::nullopt : object->section(type);
    if (!part) continue;
    keys.emplace();
    read_object(*part, *keys);
    read_beside(section, head_dim, *keys);
  }
  object->ignore_rest("unknown");
  read_beside(section, head_dim, table.all);
  return table;
}

}  // namespace sextant
