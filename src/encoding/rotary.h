// SPDX-License-Identifier: Apache-2.0
// What the rotary family shares: ladders of frequencies, their scalings, and how coordinates pair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sextant/registry.h"

namespace sextant {

inline constexpr ParamInfo kBaseParam =
    number_param("base", "10000", 1, 1e12, "ratio of the slowest wavelength to the fastest");
inline constexpr ParamInfo kPairingParam =
    word_param("pairing", "half", "half|interleaved",
               "half: coordinates i and i+d/2 turn together; interleaved: 2i and 2i+1");

// base^(-2i/dim) for i = 0..dim/2-1, to 2^-101. REQUIRES: dim even.
std::vector<DoubleDouble> geometric_ladder(double base, Index dim);

// Where the blocks' coordinates live: pair i of the first `rotary_dim` coordinates is (i,
// i+rotary_dim/2) or (2i, 2i+1); the others follow in their order.
std::vector<Index> pair_order(const std::string& pairing, Index rotary_dim, Index dim);

// One turning pair per frequency, with a common or individual real part, then unturned
// coordinates up to `dim`.
OneParameterGroup rotation_group(const std::vector<DoubleDouble>& frequencies,
                                 const std::string& pairing, Index dim,
                                 const std::vector<double>& decays = {});

// Groups of several axes: pair j turns with coordinate axis[j] of the position.
std::vector<OneParameterGroup> axis_groups(const std::vector<DoubleDouble>& frequencies,
                                           const std::vector<Index>& axis, Index axes,
                                           const std::string& pairing, Index dim);

void require_even(Index dim, std::string_view where);

// A context-extension rule with its keys; unset numbers are empty.
struct RotaryScaling {
  std::string kind = "none";
  double base = 10000.0;
  double factor = 1.0;
  double original = 0.0;  // trained length
  double length = 0.0;    // current length
  double beta_fast = 32.0;
  double beta_slow = 1.0;
  bool truncate = true;
  std::optional<double> attention_factor, mscale, mscale_all_dim;
  double low = 1.0;
  double high = 4.0;
  std::vector<double> short_factor, long_factor;
  double partial = 1.0;
};

// Reads the keys of `rope`. Throws kUsage for a key that is missing, contradicts another one, or
// does nothing under this scaling.
RotaryScaling parse_scaling(const Params& params);

// One frequency per pair of a head of `dim` coordinates, 0 for a pair that does not turn. With
// `partial` the ladder covers the pairs of the leading part only, except for `proportional`.
// Throws kUsage where dim does not fit.
std::vector<DoubleDouble> scaled_ladder(const RotaryScaling& scaling, Index dim);

// The factor on cos and sin; 1 for most scalings.
DoubleDouble scaled_magnitude(const RotaryScaling& scaling);

}  // namespace sextant
