// SPDX-License-Identifier: Apache-2.0
// Context extension of the rotary ladder. Every rule is evaluated in double-double, so that the
// frequencies are those of the formula and not of a float program.
//
// References: linear (Chen et al., 2306.15595), NTK-aware and dynamic NTK (bloc97, emozilla, 2023),
// YaRN (Peng et al., 2309.00071), llama3 (Meta, Llama 3.1), LongRoPE (Ding et al., 2402.13753),
// proportional (Gemma).
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "encoding/rotary.h"
#include "math/double_double.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr std::string_view kWhere = "rope";
const DoubleDouble kTwoPi = {6.283185307179586, 2.4492935982947064e-16};

// Keys that each rule reads, besides base, partial and pairing.
struct RuleKeys {
  std::string_view kind;
  std::vector<std::string_view> keys;
};
const RuleKeys kRules[] = {
    {"none", {}},
    {"linear", {"factor"}},
    {"ntk", {"factor"}},
    {"dynamic", {"factor", "original", "length"}},
    {"yarn",
     {"factor", "original", "beta_fast", "beta_slow", "truncate", "attention_factor", "mscale",
      "mscale_all_dim"}},
    {"llama3", {"factor", "original", "low", "high"}},
    {"longrope",
     {"factor", "original", "length", "attention_factor", "short_factor", "long_factor"}},
    {"proportional", {"factor"}},
};
constexpr std::string_view kScalingKeys[] = {
    "factor",   "original",         "length",     "beta_fast",      "beta_slow",
    "truncate", "attention_factor", "mscale",     "mscale_all_dim", "low",
    "high",     "short_factor",     "long_factor"};

void check_keys(const Params& params, const std::string& kind) {
  const auto rule = std::find_if(std::begin(kRules), std::end(kRules),
                                 [&](const RuleKeys& r) { return r.kind == kind; });
  for (const std::string_view key : kScalingKeys) {
    const bool used = std::find(rule->keys.begin(), rule->keys.end(), key) != rule->keys.end();
    require(used || !params.given(key), kWhere, "{} must go with a scaling that reads it, not {}",
            key, kind);
    require(!used || key != "original" || params.has(key), kWhere,
            "scaling={} needs original=N, the trained length", kind);
  }
}

std::optional<double> optional_number(const Params& params, std::string_view name) {
  return params.has(name) ? std::optional(params.number(name)) : std::nullopt;
}

// base^(-2i/d) with base multiplied by stretch^(d/(d-2)): the slowest pair is stretched by
// `stretch`, the fastest not at all.
std::vector<DoubleDouble> stretched_base(double base, DoubleDouble stretch, Index dim) {
  require(dim > 2, kWhere, "dim must be above 2 for ntk and dynamic scaling but got {}", dim);
  std::vector<DoubleDouble> ladder = geometric_ladder(base, dim);
  for (std::size_t i = 0; i < ladder.size(); ++i)
    ladder[i] = ladder[i] * rational_power(stretch, -2 * static_cast<Index>(i), dim - 2);
  return ladder;
}

DoubleDouble dynamic_stretch(const RotaryScaling& scaling) {
  const double length = std::max(scaling.length, scaling.original);
  return DoubleDouble(scaling.factor) * length / scaling.original -
         (DoubleDouble(scaling.factor) - 1.0);
}

// The pair index, as a real number, whose wavelength fits `turns` times into the trained length.
DoubleDouble yarn_boundary(const RotaryScaling& scaling, double turns, Index dim) {
  const DoubleDouble ratio = DoubleDouble(scaling.original) / (kTwoPi * turns);
  return static_cast<double>(dim) * log(ratio) / (2.0 * log(scaling.base));
}

std::vector<DoubleDouble> yarn(const RotaryScaling& scaling, Index dim) {
  DoubleDouble low = yarn_boundary(scaling, scaling.beta_fast, dim);
  DoubleDouble high = yarn_boundary(scaling, scaling.beta_slow, dim);
  if (scaling.truncate) {
    low = std::floor(low.high);
    high = std::ceil(high.high);
  }
  low = std::max(low, DoubleDouble(0.0));
  high = std::min(high, DoubleDouble(static_cast<double>(dim - 1)));  // not dim/2-1: as published
  if (low == high) high = high + 0.001;

  std::vector<DoubleDouble> ladder = geometric_ladder(scaling.base, dim);
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    const DoubleDouble ramp = std::clamp((static_cast<double>(i) - low) / (high - low),
                                         DoubleDouble(0.0), DoubleDouble(1.0));
    ladder[i] = ladder[i] / scaling.factor * ramp + ladder[i] * (1.0 - ramp);
  }
  return ladder;
}

DoubleDouble yarn_magnitude(const RotaryScaling& scaling) {
  const auto temperature = [&](double weight) -> DoubleDouble {
    if (scaling.factor <= 1.0) return 1.0;
    return 1.0 + DoubleDouble(weight) / 10.0 * log(scaling.factor);
  };
  if (scaling.attention_factor) return *scaling.attention_factor;
  if (scaling.mscale && scaling.mscale_all_dim)
    return temperature(*scaling.mscale) / temperature(*scaling.mscale_all_dim);
  return temperature(1.0);
}

std::vector<DoubleDouble> llama3(const RotaryScaling& scaling, Index dim) {
  std::vector<DoubleDouble> ladder = geometric_ladder(scaling.base, dim);
  for (DoubleDouble& frequency : ladder) {
    const DoubleDouble turns = scaling.original * frequency / kTwoPi;  // in the trained length
    const DoubleDouble keep =
        std::clamp((turns - scaling.low) / (DoubleDouble(scaling.high) - scaling.low),
                   DoubleDouble(0.0), DoubleDouble(1.0));
    frequency = frequency * (keep + (1.0 - keep) / scaling.factor);
  }
  return ladder;
}

std::vector<DoubleDouble> longrope(const RotaryScaling& scaling, Index dim) {
  const bool is_long = scaling.length > scaling.original;
  const std::vector<double>& factors = is_long ? scaling.long_factor : scaling.short_factor;
  std::vector<DoubleDouble> ladder = geometric_ladder(scaling.base, dim);
  const auto check_size = [&](const std::vector<double>& list, std::string_view key) {
    require(list.size() == ladder.size(), kWhere, "{} must have {} entries but got {}", key,
            ladder.size(), list.size());
  };
  check_size(scaling.short_factor, "short_factor");
  check_size(scaling.long_factor, "long_factor");
  for (std::size_t i = 0; i < ladder.size(); ++i) ladder[i] = ladder[i] / factors[i];
  return ladder;
}

DoubleDouble longrope_magnitude(const RotaryScaling& scaling) {
  if (scaling.attention_factor) return *scaling.attention_factor;
  if (scaling.factor <= 1.0) return 1.0;
  return square_root(1.0 + log(scaling.factor) / log(scaling.original));
}

std::vector<DoubleDouble> proportional(const RotaryScaling& scaling, Index dim) {
  const auto turning =
      static_cast<std::size_t>(std::floor(scaling.partial * static_cast<double>(dim) / 2.0));
  require(turning >= 1, kWhere, "partial={} must leave a pair that turns in {} coordinates",
          scaling.partial, dim);
  std::vector<DoubleDouble> ladder = geometric_ladder(scaling.base, dim);
  for (std::size_t i = 0; i < ladder.size(); ++i)
    ladder[i] = i < turning ? ladder[i] / scaling.factor : DoubleDouble(0.0);
  return ladder;
}

// How many leading coordinates take part in pairs.
Index rotary_dim(const RotaryScaling& scaling, Index dim) {
  require_even(dim, kWhere);
  if (scaling.kind == "proportional") return dim;
  const auto rotated = static_cast<Index>(std::floor(scaling.partial * static_cast<double>(dim)));
  require(rotated >= 2 && rotated % 2 == 0, kWhere,
          "partial={} must leave an even number of coordinates but leaves {} of {}",
          scaling.partial, rotated, dim);
  return rotated;
}

}  // namespace

RotaryScaling parse_scaling(const Params& params) {
  RotaryScaling scaling{.kind = params.word("scaling"),
                        .base = params.number("base"),
                        .factor = params.number("factor"),
                        .original = optional_number(params, "original").value_or(0.0),
                        .beta_fast = params.number("beta_fast"),
                        .beta_slow = params.number("beta_slow"),
                        .truncate = params.word("truncate") == "true",
                        .attention_factor = optional_number(params, "attention_factor"),
                        .mscale = optional_number(params, "mscale"),
                        .mscale_all_dim = optional_number(params, "mscale_all_dim"),
                        .low = params.number("low"),
                        .high = params.number("high"),
                        .short_factor = params.list("short_factor"),
                        .long_factor = params.list("long_factor"),
                        .partial = params.number("partial")};
  scaling.length = optional_number(params, "length").value_or(scaling.original);
  check_keys(params, scaling.kind);
  require(scaling.kind != "yarn" || scaling.beta_fast >= scaling.beta_slow, kWhere,
          "beta_fast must not be below beta_slow but got {} and {}", scaling.beta_fast,
          scaling.beta_slow);
  require(scaling.kind != "yarn" || scaling.base > 1.0, kWhere,
          "base must exceed 1 for yarn but got {}", scaling.base);
  require(scaling.kind != "llama3" || scaling.high > scaling.low, kWhere,
          "high must exceed low but got {} and {}", scaling.high, scaling.low);
  require(scaling.kind != "longrope" || scaling.original > 1.0, kWhere,
          "original must exceed 1 for longrope but got {}", scaling.original);
  return scaling;
}

std::vector<DoubleDouble> scaled_ladder(const RotaryScaling& scaling, Index dim) {
  const Index d = rotary_dim(scaling, dim);
  if (scaling.kind == "ntk") return stretched_base(scaling.base, scaling.factor, d);
  if (scaling.kind == "dynamic") return stretched_base(scaling.base, dynamic_stretch(scaling), d);
  if (scaling.kind == "yarn") return yarn(scaling, d);
  if (scaling.kind == "llama3") return llama3(scaling, d);
  if (scaling.kind == "longrope") return longrope(scaling, d);
  if (scaling.kind == "proportional") return proportional(scaling, d);
  std::vector<DoubleDouble> ladder = geometric_ladder(scaling.base, d);
  for (DoubleDouble& frequency : ladder) frequency = frequency / scaling.factor;  // none: 1
  return ladder;
}

DoubleDouble scaled_magnitude(const RotaryScaling& scaling) {
  if (scaling.kind == "yarn") return yarn_magnitude(scaling);
  if (scaling.kind == "longrope") return longrope_magnitude(scaling);
  return 1.0;
}

}  // namespace sextant
