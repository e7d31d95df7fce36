// SPDX-License-Identifier: Apache-2.0
#include "model/model_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/rounding.h"
#include "base/text.h"
#include "sextant/encoding.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr Index kDefaultHorizon = 131072;  // where neither model states its context
constexpr Index kMostComparedLayers = 65536;

const LayerGroup* group_of_layer(const Model& model, Index layer) {
  for (const LayerGroup& group : model.groups) {
    if (group.layers.empty() || std::ranges::find(group.layers, layer) != group.layers.end())
      return &group;
  }
  return nullptr;
}

// One past the last layer that anything names.
Index layer_count(const Model& model) {
  Index count = model.layers;
  for (const LayerGroup& group : model.groups)
    for (const Index layer : group.layers) count = std::max(count, layer + 1);
  if (count > kMostComparedLayers)
    fail(ErrorCode::kRefused, model.source, "has {} layers; at most {} are compared", count,
         kMostComparedLayers);
  return count;
}

struct MetGroups {
  const LayerGroup* first = nullptr;
  const LayerGroup* second = nullptr;
  std::vector<Index> layers = {};
};

// A side whose layers nobody counts has as many as the other one.
std::vector<MetGroups> met_groups(const Model& first, const Model& second) {
  const Index own_count = layer_count(first), other_count = layer_count(second);
  const Index count = std::max(own_count, other_count);
  if (count == 0) return {{&first.groups.front(), &second.groups.front(), {}}};
  std::vector<MetGroups> met;
  for (Index layer = 0; layer < count; ++layer) {
    const auto own = [&](const Model& model, Index layers) {
      return layers == 0 || layer < layers ? group_of_layer(model, layer) : nullptr;
    };
    const LayerGroup* a = own(first, own_count);
    const LayerGroup* b = own(second, other_count);
    const auto known = std::ranges::find_if(
        met, [&](const MetGroups& each) { return each.first == a && each.second == b; });
    if (known == met.end()) {
      met.push_back({a, b, {layer}});
    } else {
      known->layers.push_back(layer);
    }
  }
  return met;
}

void add_fact(std::vector<ComparedFact>& facts, std::string what, std::string first,
              std::string second) {
  const bool agree = first == second;
  facts.push_back({std::move(what), std::move(first), std::move(second), agree});
}

// The slope of a bias per head, from the encoding itself: b(0, lag 0) - b(0, lag 1).
std::string slopes_text(const Model& model, const std::string& spec) {
  const auto encoding = encodings().make(spec);
  const Index heads = std::max<Index>(1, model.heads);
  const Effects effects =
      encoding->effects(encoding->fitted({.positions = 2, .dim = 2, .heads = heads}));
  if (!effects.logit) return "";
  std::string text;
  for (Index head = 0; head < heads; ++head) {
    const double slope = effects.logit->at(head, 1.0, 1.0) - effects.logit->at(head, 1.0, 0.0);
    text += fmt::format("{}{}", head == 0 ? "" : " ", shortest(slope));
  }
  return text;
}

void add_fixed_facts(const ModelSide& first, const ModelSide& second, const LayerGroup& a,
                     const LayerGroup& b, std::vector<ComparedFact>& facts) {
  const std::string spec = group_spec(first.model, a, first.engine);
  const std::string other = group_spec(second.model, b, second.engine);
  add_fact(facts, "spec", spec, other);
  if (a.kind != b.kind) return;
  const Model& m = first.model;
  const Model& n = second.model;
  const auto text = [](Index value) { return value > 0 ? std::to_string(value) : "unknown"; };
  const auto number = [&](std::string what, Index own, Index others) {
    add_fact(facts, std::move(what), text(own), text(others));
  };
  if (a.kind == PositionKind::kAlibi)
    add_fact(facts, "slopes", slopes_text(m, spec), slopes_text(n, other));
  if (a.kind == PositionKind::kT5) {
    number("buckets", m.t5_buckets, n.t5_buckets);
    number("max_distance", m.t5_max_distance, n.t5_max_distance);
    number("heads", m.heads, n.heads);
    add_fact(facts, "causal", m.causal ? "yes" : "no", n.causal ? "yes" : "no");
  }
  if (a.kind == PositionKind::kLearned) {
    number("positions", m.max_positions, n.max_positions);
    add_fact(facts, "first_row", std::to_string(m.first_row), std::to_string(n.first_row));
    if (m.table_rows > 0 && n.table_rows > 0) number("table_rows", m.table_rows, n.table_rows);
    number("width", m.hidden, n.hidden);
  }
  if (a.kind == PositionKind::kSinusoidal) number("width", m.hidden, n.hidden);
}

std::string precise(DoubleDouble value) { return shortest(to_double(value)); }

std::string sections_text(const RotaryOperator& made) {
  if (made.sections.empty()) return "one axis";
  return fmt::format("{}{}", fmt::join(made.sections, " "),
                     made.interleaved_sections ? ", interleaved" : "");
}

// Specs may be spelled in two ways for one operator: they are shown, the numbers decide. Where a
// file was `converted`, its rows were permuted to its pairing: another one is no difference.
void add_rotary_facts(const RotaryOperator& a, const RotaryOperator& b, bool converted,
                      const OperatorComparison& numbers, std::vector<ComparedFact>& facts) {
  const auto fact = [&](std::string what, std::string own, std::string others, bool agree) {
    facts.push_back({std::move(what), std::move(own), std::move(others), agree});
  };
  const std::size_t same = static_cast<std::size_t>(numbers.pairs) - numbers.differing.size();
  fact("inv_freq", fmt::format("{} pairs", a.inv_freq.size()),
       numbers.differing.empty() ? fmt::format("{} pairs", b.inv_freq.size())
                                 : fmt::format("{} pairs, {} the same", b.inv_freq.size(), same),
       numbers.differing.empty());
  fact("magnitude", precise(a.magnitude), precise(b.magnitude), numbers.same_magnitude);
  fact("softmax_factor", precise(a.softmax_factor), precise(b.softmax_factor),
       numbers.same_softmax_factor);
  const std::string_view permuted =
      converted && !numbers.same_pairing ? ", to which the converter permutes rows" : "";
  fact("pairing", std::string(name(a.pairing)), fmt::format("{}{}", name(b.pairing), permuted),
       numbers.same_pairing || converted);
  fact("head_dim", std::to_string(a.head_dim), std::to_string(b.head_dim), numbers.same_head_dim);
  fact("rotary_dim", std::to_string(a.rotary_dim), std::to_string(b.rotary_dim),
       numbers.same_rotary_dim);
  if (!a.sections.empty() || !b.sections.empty()) {
    const std::string own = sections_text(a), others = sections_text(b);
    fact("sections", own, others, own == others);
  }
  const bool agree =
      std::ranges::all_of(facts, [](const ComparedFact& each) { return each.agree; });
  fact("spec", a.spec, b.spec, agree);
}

Index horizon_of(const Model& first, const Model& second, Index length) {
  const Index context = std::max(first.max_positions, second.max_positions);
  const Index wanted = length > 0 ? length : context > 0 ? context : kDefaultHorizon;
  return std::min(wanted, kLongestHorizon);
}

GroupComparison compare_groups(const ModelSide& first, const ModelSide& second, MetGroups met,
                               Index length) {
  GroupComparison result;
  result.layers = std::move(met.layers);
  if (met.first == nullptr || met.second == nullptr) {
    const auto text = [](const LayerGroup* group) {
      return group == nullptr ? std::string("absent") : group->name;
    };
    add_fact(result.facts, "layers", text(met.first), text(met.second));
  }
  if (met.first != nullptr) {
    result.first = met.first->name;
    result.first_kind = met.first->kind;
  }
  if (met.second != nullptr) {
    result.second = met.second->name;
    result.second_kind = met.second->kind;
  }
  if (met.first == nullptr || met.second == nullptr) return result;
  add_fact(result.facts, "kind", std::string(name(met.first->kind)),
           std::string(name(met.second->kind)));
  if (met.first->kind != PositionKind::kRotary || met.second->kind != PositionKind::kRotary) {
    add_fixed_facts(first, second, *met.first, *met.second, result.facts);
    if (met.first->kind == PositionKind::kLearned && met.second->kind == PositionKind::kLearned)
      result.first_assumptions =
          result.second_assumptions = {"the values of the table are not compared"};
    return result;
  }
  const RotaryOperator a = rotary_operator(first.model, *met.first, first.engine, length);
  const RotaryOperator b = rotary_operator(second.model, *met.second, second.engine, length);
  result.rotary = compare_operators(a, b, horizon_of(first.model, second.model, length));
  const bool converted = first.model.gguf != second.model.gguf;
  add_rotary_facts(a, b, converted, *result.rotary, result.facts);
  result.first_assumptions = a.assumptions;
  result.second_assumptions = b.assumptions;
  return result;
}

}  // namespace

bool GroupComparison::equal() const {
  return std::ranges::all_of(facts, [](const ComparedFact& fact) { return fact.agree; });
}

bool ModelComparison::equal() const {
  return std::ranges::all_of(groups, [](const GroupComparison& group) { return group.equal(); });
}

ModelComparison compare_models(const ModelSide& first, const ModelSide& second, Index length) {
  ModelComparison result;
  result.length = length;
  std::vector<MetGroups> all_met = met_groups(first.model, second.model);  // refuses absurd counts
  result.first_fingerprint = fingerprint(first.model, first.engine);
  result.second_fingerprint = fingerprint(second.model, second.engine);
  for (MetGroups& met : all_met)
    result.groups.push_back(compare_groups(first, second, std::move(met), length));
  return result;
}

}  // namespace sextant
