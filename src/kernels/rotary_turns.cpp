// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary_turns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/memory.h"
#include "math/elementary.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

// The slots that one coordinate of a position moves.
struct AxisLevels {
  Index axis = 0;
  std::vector<Index> slots;
  RotaryLevels levels;
};

std::vector<AxisLevels> axis_levels(const RotaryRule& rule) {
  std::vector<AxisLevels> result;
  for (Index axis = 0; axis < rule.axes; ++axis) {
    std::vector<Index> slots;
    std::vector<DoubleDouble> frequencies;
    std::vector<double> decays;
    for (std::size_t j = 0; j < rule.slots(); ++j) {
      if (rule.axis[j] != axis) continue;
      slots.push_back(static_cast<Index>(j));
      frequencies.push_back(rule.frequencies[j]);
      decays.push_back(rule.decays[j]);
    }
    if (slots.empty()) continue;
    result.push_back(
        {axis, std::move(slots), RotaryLevels(std::move(frequencies), decays, rule.magnitude)});
  }
  return result;
}

// Places of tokens counted from the origin, [tokens, coordinates].
struct Places {
  std::vector<std::int64_t> tau;
  Index coordinates = 1;
  std::int64_t origin = 0;

  Index tokens() const { return static_cast<Index>(tau.size()) / coordinates; }
  std::int64_t at(Index token, Index axis) const {
    const Index place = token * coordinates + (coordinates == 1 ? 0 : axis);
    return tau[static_cast<std::size_t>(place)];
  }
};

void check_origin(std::int64_t origin) {
  require(origin >= 0 && origin < kPositionEnd, "origin", "must be 0 to {} but is {}",
          kPositionEnd - 1, origin);
}

template <typename Integer>
Places places_of(std::span<const Integer> positions, Index coordinates, std::int64_t origin) {
  check_origin(origin);
  require(static_cast<Index>(positions.size()) % coordinates == 0, "positions",
          "must be [tokens, {}] but have {} entries", coordinates, positions.size());
  Places places{{}, coordinates, origin};
  places.tau.reserve(positions.size());
  for (const Integer t : positions) {
    require(t >= 0 && t < kPositionEnd, "positions", "entry {} must be 0 to {} but is {}",
            places.tau.size(), kPositionEnd - 1, t);
    places.tau.push_back(static_cast<std::int64_t>(t) - origin);
  }
  return places;
}

// The largest values that a float takes, or the least normal one for what shrinks.
constexpr double kLargestFloat = static_cast<double>(std::numeric_limits<float>::max());
constexpr double kLogOfFloatRange = 87.3;  // 126 ln 2

[[noreturn]] void fail_beyond_float(const RotaryRule& rule, std::int64_t tau, std::int64_t origin) {
  fail(ErrorCode::kNumeric, rule.where,
       "position {} leaves the range of float; count positions from a nearer origin than {}",
       tau + origin, origin);
}

// Bytes of the values of `tokens` tokens and of their places. Throws kRefused where they do not
// fit.
void require_memory(const RotaryRule& rule, Index tokens) {
  const std::size_t sides = rule.turns_only() ? 1 : 2;
  const std::size_t per_token = 2 * rule.slots() * sides * sizeof(float) +
                                rule.chains.size() * sizeof(double) +
                                static_cast<std::size_t>(rule.axes) * sizeof(std::int64_t);
  // Asking the system costs more than the turns of one token.
  constexpr std::size_t kMuch = std::size_t{1} << 26;
  // Neither factor reaches 2^32: widths and positions are bounded.
  const std::size_t bytes = per_token * static_cast<std::size_t>(tokens);
  if (bytes > kMuch && bytes > available_memory().value_or(bytes)) {
    fail(ErrorCode::kRefused, rule.where,
         "turns of {} tokens must fit the memory but take {} bytes", tokens, bytes);
  }
}

TurnsAccess::Values empty_values(std::shared_ptr<const RotaryRule> rule, Index tokens) {
  require_memory(*rule, tokens);
  const std::size_t rows = 2 * rule->slots() * static_cast<std::size_t>(tokens);
  TurnsAccess::Values values;
  values.tokens = tokens;
  values.query.resize(rows);
  values.key.resize(rule->turns_only() ? 0 : rows);
  values.steps.resize(rule->chains.size() * static_cast<std::size_t>(tokens));
  values.rule = std::move(rule);
  return values;
}

// How many tokens from `token` on have consecutive places from 0 on, at most `limit`.
Index consecutive(const Places& places, Index token, Index limit) {
  Index count = 1;
  while (token + count < limit && places.at(token + count, 0) == places.at(token, 0) + count)
    ++count;
  return count;
}

void negate(std::span<float> sines) {
  for (float& sine : sines) sine = -sine + 0.0f;
}

// Rules that only turn, one axis: rows are written where they stay.
void fill_turns_of_line(const RotaryLevels& levels, const Places& places, std::span<float> out) {
  const auto slots = static_cast<Index>(levels.slots());
  for (Index token = 0; token < places.tokens();) {
    const std::int64_t tau = places.at(token, 0);
    const Index count = tau < 0 ? 1 : consecutive(places, token, places.tokens());
    float* cos = out.data() + token * 2 * slots;
    levels.fill(std::abs(tau), count, cos, cos + slots, 2 * slots);
    if (tau < 0) negate({cos + slots, levels.slots()});
    token += count;
  }
}

// Rules that only turn, several axes: each axis has some of the slots.
void fill_turns_of_points(std::span<const AxisLevels> axes, const Places& places, Index slots,
                          std::span<float> out) {
  for (const AxisLevels& axis : axes) {
    const std::size_t own = axis.slots.size();
    std::vector<float> row(2 * own);
    for (Index token = 0; token < places.tokens(); ++token) {
      const std::int64_t tau = places.at(token, axis.axis);
      axis.levels.fill(std::abs(tau), 1, row.data(), row.data() + own, 0);
      if (tau < 0) negate(std::span(row).last(own));
      float* cos = out.data() + token * 2 * slots;
      for (std::size_t j = 0; j < own; ++j) {
        cos[axis.slots[j]] = row[j];
        cos[slots + axis.slots[j]] = row[own + j];
      }
    }
  }
}

// Rules that grow or shrink: the query by e^(decay tau), the key by its inverse.
class GrowingTurns {
 public:
  GrowingTurns(const RotaryRule& rule, const AxisLevels& axis, const Places& places)
      : rule_(rule), axis_(axis), places_(places), values_(3 * axis.slots.size()) {
    double fastest = 0.0;
    for (const Index slot : axis.slots)
      fastest = std::max(fastest, std::abs(rule.decays[static_cast<std::size_t>(slot)]));
    // Sides grow as much as the others shrink, and the magnitude comes on top.
    const double range = kLogOfFloatRange - std::abs(log(rule.magnitude).high);
    farthest_ = fastest == 0.0 ? HUGE_VAL : range / fastest;
  }

  void fill(std::span<float> query, std::span<float> key) {
    for (Index token = 0; token < places_.tokens(); ++token) fill_token(token, query, key);
  }

 private:
  void fill_token(Index token, std::span<float> query, std::span<float> key) {
    const std::size_t own = axis_.slots.size();
    const std::span<double> cos(values_.data(), own), sin(values_.data() + own, own),
        growth(values_.data() + 2 * own, own);
    const std::int64_t tau = places_.at(token, axis_.axis);
    if (static_cast<double>(std::abs(tau)) > farthest_)
      fail_beyond_float(rule_, tau, places_.origin);
    axis_.levels.turns(std::abs(tau), cos, sin);
    axis_.levels.growth(std::abs(tau), growth);
    const std::size_t slots = rule_.slots();
    for (std::size_t j = 0; j < own; ++j) {
      const double ahead = tau < 0 ? 1.0 / growth[j] : growth[j];
      const double sine = tau < 0 ? -sin[j] : sin[j];
      const std::size_t at =
          static_cast<std::size_t>(token) * 2 * slots + static_cast<std::size_t>(axis_.slots[j]);
      query[at] = static_cast<float>(cos[j] * ahead);
      query[at + slots] = static_cast<float>(sine * ahead);
      key[at] = static_cast<float>(cos[j] / ahead);
      key[at + slots] = static_cast<float>(sine / ahead);
    }
  }

  const RotaryRule& rule_;
  const AxisLevels& axis_;
  const Places& places_;
  std::vector<double> values_;
  double farthest_ = 0.0;
};

// coupling * tau per chain, where the chain's largest factor (coupling tau)^m / m! e^|decay tau|
// fits a float.
void fill_steps(const RotaryRule& rule, const Places& places, std::span<double> steps) {
  for (std::size_t at = 0; at < steps.size(); ++at) {
    const auto token = static_cast<Index>(at / rule.chains.size());
    const BlockChain& chain = rule.chains[at % rule.chains.size()];
    const auto slot = static_cast<std::size_t>(chain.slot);
    const std::int64_t tau = places.at(token, rule.axis[slot]);
    steps[at] = chain.coupling * static_cast<double>(tau);
    double factor =
        rule.magnitude.high * std::exp(std::abs(rule.decays[slot] * static_cast<double>(tau)));
    for (Index m = 1; m < chain.size && factor != 0.0; ++m) {
      factor *= std::abs(steps[at]) / static_cast<double>(m);
      if (!(factor <= kLargestFloat)) fail_beyond_float(rule, tau, places.origin);
    }
  }
}

}  // namespace

struct Rotary::Rule {
  explicit Rule(RotaryRule sorted)
      : rule(std::make_shared<const RotaryRule>(std::move(sorted))), axes(axis_levels(*rule)) {}

  std::shared_ptr<const TurnsAccess::Values> values(const Places& places) const {
    auto values = std::make_shared<TurnsAccess::Values>(empty_values(rule, places.tokens()));
    if (!rule->turns_only()) {
      for (const AxisLevels& axis : axes)
        GrowingTurns(*rule, axis, places).fill(values->query, values->key);
    } else if (axes.size() == 1 && axes.front().slots.size() == rule->slots()) {
      const Places line = along(places, axes.front().axis);
      fill_turns_of_line(axes.front().levels, line, values->query);
    } else {
      fill_turns_of_points(axes, places, static_cast<Index>(rule->slots()), values->query);
    }
    fill_steps(*rule, places, values->steps);
    return values;
  }

  std::shared_ptr<const RotaryRule> rule;
  std::vector<AxisLevels> axes;

 private:
  static Places along(const Places& places, Index axis) {
    if (places.coordinates == 1) return places;
    Places line{{}, 1, places.origin};
    for (Index token = 0; token < places.tokens(); ++token)
      line.tau.push_back(places.at(token, axis));
    return line;
  }
};

Rotary::Rotary(const Encoding& encoding, Index head_dim)
    : rule_(std::make_shared<const Rule>(rotary_rule(encoding, head_dim))) {}

Rotary::Rotary(std::string_view spec, Index head_dim) : Rotary(*encodings().make(spec), head_dim) {}

Rotary Rotary::between(const Rotary& from, const Rotary& to) {
  return Rotary(std::make_shared<const Rule>(rule_between(*from.rule_->rule, *to.rule_->rule)));
}

Index Rotary::dim() const { return rule_->rule->dim; }
Index Rotary::axes() const { return rule_->rule->axes; }

Turns Rotary::at(std::span<const std::int32_t> positions, std::int64_t origin) const {
  return Turns(rule_->values(places_of(positions, 1, origin)));
}
Turns Rotary::at(std::span<const std::int64_t> positions, std::int64_t origin) const {
  return Turns(rule_->values(places_of(positions, 1, origin)));
}
Turns Rotary::at_points(std::span<const std::int32_t> points, std::int64_t origin) const {
  return Turns(rule_->values(places_of(points, axes(), origin)));
}
Turns Rotary::at_points(std::span<const std::int64_t> points, std::int64_t origin) const {
  return Turns(rule_->values(places_of(points, axes(), origin)));
}

Turns Rotary::range(std::int64_t first, Index count, std::int64_t origin) const {
  check_origin(origin);
  require(count >= 0, "count", "must not be negative but is {}", count);
  require(first >= 0 && first <= kPositionEnd, "first", "must be 0 to {} but is {}",
          kPositionEnd - 1, first);
  require(count <= kPositionEnd - first, "count",
          "positions must be below {} but {} of them from {} are not", kPositionEnd, count, first);
  require_memory(*rule_->rule, count);
  Places places{std::vector<std::int64_t>(static_cast<std::size_t>(count)), 1, origin};
  std::iota(places.tau.begin(), places.tau.end(), first - origin);
  return Turns(rule_->values(places));
}

Index Turns::tokens() const { return values_->tokens; }
Index Turns::dim() const { return values_->rule->dim; }

}  // namespace sextant
