// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary_rule.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "base/rng.h"
#include "math/double_double.h"

namespace sextant {
namespace {

// The error bound of the tables (rotary_table.cpp) assumes these.
constexpr double kFastest = 0x1p8;
constexpr double kLargestMagnitude = 0x1p80;

// A group does not tell whether it has a basis. One without does to a vector, bit for bit, what its
// blocks do.
bool has_basis(const OneParameterGroup& group) {
  const OneParameterGroup plain(group.blocks(), group.order());
  double fastest = 1.0;
  for (const JordanBlock& block : group.blocks()) {
    fastest = std::max({fastest, std::abs(block.decay), std::abs(block.frequency.high)});
  }
  const Rng rng(1, 1);
  Vector x;
  for (Index i = 0; i < group.dim(); ++i) x.push_back(rng.normal(static_cast<std::uint64_t>(i)));
  Vector y = x;
  group.apply_to_key(1.0 / fastest, x);
  plain.apply_to_key(1.0 / fastest, y);
  return x != y;
}

void check_group(const OneParameterGroup& group, const OneParameterGroup& first,
                 std::string_view where) {
  require(!group.blocks().empty(), where,
          "has no kernel: its generator is dense, and a kernel needs blocks");
  require(!has_basis(group), where,
          "has no kernel: its blocks lie in another basis; turn W_Q and W_K into it first");
  const auto alike = [](const JordanBlock& a, const JordanBlock& b) {
    return a.size == b.size && a.complex() == b.complex();
  };
  require(
      group.order() == first.order() && std::ranges::equal(group.blocks(), first.blocks(), alike),
      where, "has no kernel: its axes are cut into different blocks");
}

void check_map(const QueryKeyMap& map, std::string_view where) {
  require(map.splits(), where,
          "has no kernel: a saturated chain has no part for queries and part for keys");
  require(map.commute, where, "has no kernel: its generators do not commute");
  for (const OneParameterGroup& group : map.groups) check_group(group, map.groups.front(), where);
  require(map.magnitude.high > 1.0 / kLargestMagnitude && map.magnitude.high < kLargestMagnitude,
          where, "magnitude must be between 2^-80 and 2^80 but is {}", map.magnitude.high);
}

// Block `index` on the one axis that moves it.
struct BlockOnAxis {
  JordanBlock block;
  Index axis = 0;
};
BlockOnAxis moving_block(const QueryKeyMap& map, std::size_t index, std::string_view where) {
  BlockOnAxis result{map.groups.front().blocks()[index], 0};
  bool moves = !result.block.trivial();
  for (std::size_t axis = 1; axis < map.groups.size(); ++axis) {
    const JordanBlock& block = map.groups[axis].blocks()[index];
    if (block.trivial()) continue;
    require(!moves, where, "has no kernel: block {} moves with two axes", index);
    result = {block, static_cast<Index>(axis)};
    moves = true;
  }
  return result;
}

// Whether the pair (x, y) continues the run; a run of one pair takes either step.
std::optional<Index> step_to(const PairRun& run, Index x, Index y) {
  const Index step = run.count == 1 ? x - run.x : run.step;
  const Index apart = std::abs(run.y - run.x);
  if (x != run.x + run.count * step || y != run.y + run.count * step) return std::nullopt;
  if (step == 1 && run.count < apart) return step;
  if (step == 2 && run.y == run.x + 1) return step;
  return std::nullopt;
}

class RuleBuilder {
 public:
  RuleBuilder(const QueryKeyMap& map, std::string_view where) : map_(map) {
    rule_.where = where;
    rule_.dim = map.dim();
    rule_.axes = static_cast<Index>(map.groups.size());
    rule_.magnitude = map.magnitude;
  }

  // Pairs first, so that their slots are neighbours.
  RotaryRule build() {
    for (const bool pairs : {true, false}) {
      std::size_t place = 0;
      for (std::size_t i = 0; i < map_.groups.front().blocks().size(); ++i) {
        const BlockOnAxis moving = moving_block(map_, i, rule_.where);
        const auto dim = static_cast<std::size_t>(moving.block.dim());
        const bool is_pair = moving.block.size == 1 && moving.block.complex();
        if (is_pair == pairs) add(moving, order().subspan(place, dim));
        place += dim;
      }
    }
    return std::move(rule_);
  }

 private:
  std::span<const Index> order() const { return map_.groups.front().order(); }

  void add(const BlockOnAxis& moving, std::span<const Index> places) {
    const JordanBlock& block = moving.block;
    if (!block.complex() && block.trivial()) return add_still(places[0]);
    const auto slot = static_cast<Index>(rule_.slots());
    require(std::abs(block.frequency.high) < kFastest, rule_.where,
            "frequencies must be below {} radians per position but one is {}", kFastest,
            block.frequency.high);
    rule_.frequencies.push_back(block.frequency);
    rule_.decays.push_back(block.decay);
    rule_.axis.push_back(moving.axis);
    if (block.complex() && block.size == 1) return add_pair(slot, places[0], places[1]);
    rule_.chains.push_back({.slot = slot,
                            .size = block.size,
                            .width = block.complex() ? 2 : 1,
                            .coupling = block.size == 1 ? 0.0 : block.coupling,
                            .places = {places.begin(), places.end()}});
  }

  void add_pair(Index slot, Index x, Index y) {
    const auto step = rule_.pairs.empty() ? std::nullopt : step_to(rule_.pairs.back(), x, y);
    if (!step) {
      rule_.pairs.push_back({.slot = slot, .count = 1, .x = x, .y = y, .step = 1});
      return;
    }
    rule_.pairs.back().step = *step;
    ++rule_.pairs.back().count;
  }

  void add_still(Index place) {
    std::vector<StillRun>& still = rule_.still;
    if (!still.empty() && still.back().first + still.back().count == place) {
      ++still.back().count;
    } else {
      still.push_back({.first = place, .count = 1});
    }
  }

  const QueryKeyMap& map_;
  RotaryRule rule_;
};

bool same_run(const PairRun& a, const PairRun& b) {
  return a.count == b.count && a.x == b.x && a.y == b.y && a.step == b.step;
}

}  // namespace

bool RotaryRule::turns_only() const {
  return std::ranges::all_of(decays, [](double decay) { return decay == 0.0; });
}

RotaryRule rotary_rule(const Encoding& encoding, Index head_dim) {
  // An encoding that no registry made has no spec.
  const std::string where(encoding.spec().empty() ? encoding.info().name : encoding.spec());
  require(head_dim >= 1 && head_dim <= kWidestHead, where, "head_dim must be 1 to {} but got {}",
          kWidestHead, head_dim);
  const Effects effects =
      encoding.effects({.dim = head_dim, .heads = std::max<Index>(encoding.heads(), 1)});
  require(effects.query_key.has_value(), where, "has no kernel: it does not act on query and key");
  check_map(*effects.query_key, where);
  return RuleBuilder(*effects.query_key, where).build();
}

RotaryRule rule_between(const RotaryRule& from, const RotaryRule& to) {
  RotaryRule rule = to;
  rule.where = fmt::format("{} after {}", to.where, from.where);
  require(from.turns_only() && to.turns_only() && from.chains.empty() && to.chains.empty(),
          rule.where, "both rules must turn pairs and do nothing else");
  require(from.dim == to.dim && from.axes == to.axes && from.slots() == to.slots() &&
              std::ranges::equal(from.pairs, to.pairs, same_run),
          rule.where, "both rules must turn the same pairs");
  for (std::size_t j = 0; j < rule.slots(); ++j) {
    const bool both = from.frequencies[j].high != 0.0 && to.frequencies[j].high != 0.0;
    require(!both || from.axis[j] == to.axis[j], rule.where,
            "pair {} must turn with the same axis under both rules", j);
    if (to.frequencies[j].high == 0.0) rule.axis[j] = from.axis[j];
    rule.frequencies[j] = to.frequencies[j] - from.frequencies[j];
  }
  rule.magnitude = to.magnitude / from.magnitude;
  return rule;
}

}  // namespace sextant
