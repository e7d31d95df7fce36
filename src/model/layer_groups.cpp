// SPDX-License-Identifier: Apache-2.0
// Every layer gets the name of its type; layers of one name are one group.
#include "model/layer_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace sextant {
namespace {

constexpr char kFull[] = "full_attention";
constexpr char kSliding[] = "sliding_attention";
constexpr char kNoEncoding[] = "no encoding";

// Layer types without attention, and so without a rotation.
bool is_recurrent(std::string_view type) {
  return type.find("linear") != type.npos || type.find("conv") != type.npos ||
         type.find("mamba") != type.npos || type.find("recurrent") != type.npos;
}

std::vector<std::string> listed_types(const JsonNode& list, Index layers) {
  std::vector<std::string> types;
  if (list.size() > static_cast<std::size_t>(kMostLayers))
    fail(ErrorCode::kRefused, list.place(), "lists more than {} layers", kMostLayers);
  if (layers > 0 && static_cast<Index>(list.size()) < layers)
    list.fail_here("must name {} layers but names {}", layers, list.size());
  types.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) types.push_back(list.at(i).text());
  if (layers > 0) types.resize(static_cast<std::size_t>(layers));
  return types;
}

Index period_of(const ConfigSection& section, std::initializer_list<std::string_view> names,
                const Family& family, std::vector<std::string>& notes) {
  if (const auto written = section.size(names, kMostLayers)) return *written;
  notes.push_back(fmt::format("{}: one layer in {} is of the other kind, by the family",
                              family.name, family.period));
  return family.period;
}

// no_rope_layers: 1 turns, 0 does not; an empty list is none.
std::vector<std::string> nope_types(const ConfigSection& section, const Family& family,
                                    Index layers, std::vector<std::string>& notes) {
  const auto list = section.take({"no_rope_layers"});
  if (list && list->size() > 0) {
    if (static_cast<Index>(list->size()) < layers)
      list->fail_here("must have {} entries but has {}", layers, list->size());
    section.take({"no_rope_layer_interval"});  // transformers writes both
    std::vector<std::string> types;
    types.reserve(static_cast<std::size_t>(layers));
    for (Index i = 0; i < layers; ++i)
      types.emplace_back(size_of(list->at(static_cast<std::size_t>(i)), 1) == 1 ? "rotary"
                                                                                : kNoEncoding);
    return types;
  }
  const Index period = period_of(section, {"no_rope_layer_interval"}, family, notes);
  std::vector<std::string> types = periodic_types(layers, period, period - 1, "rotary");
  std::replace(types.begin(), types.end(), std::string(kFull), std::string(kNoEncoding));
  return types;
}

// A pattern of letters, L local and G global, repeated over the layers (EXAONE 4).
std::vector<std::string> lettered_types(const JsonNode& pattern, Index layers) {
  const std::string& letters = pattern.text();
  if (letters.empty()) pattern.fail_here("must not be empty");
  std::vector<std::string> types;
  types.reserve(static_cast<std::size_t>(layers));
  for (Index i = 0; i < layers; ++i)
    types.emplace_back(letters[static_cast<std::size_t>(i) % letters.size()] == 'G' ? kFull
                                                                                    : kSliding);
  return types;
}

// One name per layer; empty: the file and the family name no types.
std::vector<std::string> layer_types(const ConfigSection& section, const Family& family,
                                     const RopeTable& rope, Index layers,
                                     std::vector<std::string>& notes) {
  if (family.layers == LayerRule::kNopeLayers) {
    section.ignore("layer_types", "says which layers see a window only");
    return nope_types(section, family, layers, notes);
  }
  const bool matters = family.layers != LayerRule::kUniform || !rope.by_type.empty();
  if (const auto list = section.take({"layer_types"})) {
    std::vector<std::string> types = listed_types(*list, layers);
    section.ignore("sliding_window_pattern", "layer_types is read instead");
    const bool recurrent = std::any_of(types.begin(), types.end(), is_recurrent);
    if (!matters && !recurrent) return {};  // windows differ, positions do not
    return types;
  }
  switch (family.layers) {
    case LayerRule::kEveryNth:
      return periodic_types(
          layers, period_of(section, {"global_attn_every_n_layers"}, family, notes), 0, kSliding);
    case LayerRule::kFullOnly: {
      const Index period = period_of(section, {"full_attention_interval"}, family, notes);
      return periodic_types(layers, period, period - 1, "linear_attention");
    }
    case LayerRule::kSlidingOnly:
      if (!section.has("sliding_window")) return {};  // no windows: every layer turns
      [[fallthrough]];
    case LayerRule::kLocalGlobal:
    case LayerRule::kScaledGlobal: {
      const auto pattern = section.node().find("sliding_window_pattern");
      if (pattern && pattern->is_text())
        return lettered_types(*section.take({"sliding_window_pattern"}), layers);
      const Index period = period_of(section, {"sliding_window_pattern"}, family, notes);
      return periodic_types(layers, period, period - 1, kSliding);
    }
    default:
      return {};
  }
}

// What one layer type does, by the nested parameters or by the family.
LayerGroup group_of(const std::string& type, const ConfigSection& section, const Family& family,
                    const RopeTable& rope, std::vector<std::string>& notes) {
  LayerGroup group{.name = type, .kind = PositionKind::kRotary, .rope = rope.all};
  const bool full = type == kFull;
  const auto own = rope.by_type.find(type);
  const bool is_stated = own != rope.by_type.end();
  const bool is_plain = is_stated ? !own->second : family.layers == LayerRule::kSlidingOnly && full;
  if (type == kNoEncoding || is_recurrent(type) || is_plain) {
    group.kind = PositionKind::kNone;
  } else if (is_stated) {
    group.rope = *own->second;
  } else if (family.layers == LayerRule::kScaledGlobal && !full) {
    group.rope = {.theta = rope.all.theta, .partial = rope.all.partial};
  } else if ((family.layers == LayerRule::kLocalGlobal || family.layers == LayerRule::kEveryNth) &&
             !full) {
    const auto local = section.number({"rope_local_base_freq", "local_rope_theta"});
    if (!local)
      notes.push_back(fmt::format("theta of the {} layers is absent: {}, by the family", type,
                                  shortest(family.local_theta)));
    group.rope = {.theta = local ? local : std::optional(family.local_theta),
                  .partial = rope.all.partial};
  }
  if (group.kind == PositionKind::kNone) group.rope = {};
  return group;
}

}  // namespace

std::vector<std::string> periodic_types(Index layers, Index period, Index first,
                                        const std::string& others) {
  std::vector<std::string> types;
  types.reserve(static_cast<std::size_t>(layers));
  for (Index i = 0; i < layers; ++i)
    types.push_back(period > 0 && i % period == first ? kFull : others);
  return types;
}

std::vector<LayerGroup> groups_by_name(
    const std::vector<std::string>& names,
    const std::function<LayerGroup(const std::string& name)>& make, std::string_view where) {
  constexpr std::size_t kMostTypes = 64;
  std::vector<LayerGroup> groups;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto own = std::find_if(groups.begin(), groups.end(),
                            [&](const LayerGroup& group) { return group.name == names[i]; });
    if (own == groups.end()) {
      if (groups.size() == kMostTypes)
        fail(ErrorCode::kMalformed, where, "more than {} types of layers", kMostTypes);
      own = groups.insert(groups.end(), make(names[i]));
    }
    own->layers.push_back(static_cast<Index>(i));
  }
  return groups;
}

std::vector<Index> all_layers(Index layers) {
  std::vector<Index> list(static_cast<std::size_t>(layers));
  std::iota(list.begin(), list.end(), Index{0});
  return list;
}

std::vector<LayerGroup> rotary_groups(const ConfigSection& section, const Family& family,
                                      const RopeTable& rope, Index layers,
                                      std::vector<std::string>& notes) {
  if (layers > kMostLayers)
    fail(ErrorCode::kRefused, section.node().place(), "names {} layers; at most {} are read",
         layers, kMostLayers);
  std::vector<LayerGroup> groups = groups_by_name(
      layer_types(section, family, rope, layers, notes),
      [&](const std::string& type) { return group_of(type, section, family, rope, notes); },
      section.node().place());
  if (groups.empty() && !rope.by_type.empty()) {
    notes.emplace_back("nothing says which layers are of which type");
    groups.reserve(rope.by_type.size());
    for (const auto& [type, keys] : rope.by_type)
      groups.push_back(group_of(type, section, family, rope, notes));
  }
  if (groups.empty())
    groups.push_back(
        {.layers = all_layers(layers), .kind = PositionKind::kRotary, .rope = rope.all});
  return groups;
}

}  // namespace sextant
