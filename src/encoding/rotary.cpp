// SPDX-License-Identifier: Apache-2.0
#include "encoding/rotary.h"

#include <numeric>

#include "base/check.h"
#include "math/double_double.h"
#include "math/elementary.h"

namespace sextant {

void require_even(Index dim, std::string_view where) {
  require(dim >= 2 && dim % 2 == 0, where, "dim must be even and positive but got {}", dim);
}

std::vector<DoubleDouble> geometric_ladder(double base, Index dim) {
  std::vector<DoubleDouble> ladder;
  for (Index i = 0; i < dim / 2; ++i) ladder.push_back(rational_power(base, -2 * i, dim));
  return ladder;
}

std::vector<Index> pair_order(const std::string& pairing, Index rotary_dim, Index dim) {
  std::vector<Index> order(static_cast<std::size_t>(dim));
  std::iota(order.begin(), order.end(), 0);
  if (pairing == "interleaved") return order;
  for (Index i = 0; i < rotary_dim / 2; ++i) {
    order[static_cast<std::size_t>(2 * i)] = i;
    order[static_cast<std::size_t>(2 * i + 1)] = i + rotary_dim / 2;
  }
  return order;
}

OneParameterGroup rotation_group(const std::vector<DoubleDouble>& frequencies,
                                 const std::string& pairing, Index dim,
                                 const std::vector<double>& decays) {
  std::vector<JordanBlock> blocks;
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const double decay = decays.empty() ? 0.0 : decays[j % decays.size()];
    blocks.push_back({.decay = decay, .frequency = frequencies[j], .rotates = true});
  }
  const auto turned = 2 * static_cast<Index>(frequencies.size());
  blocks.resize(blocks.size() + static_cast<std::size_t>(dim - turned));
  return OneParameterGroup(std::move(blocks), pair_order(pairing, turned, dim));
}

std::vector<OneParameterGroup> axis_groups(const std::vector<DoubleDouble>& frequencies,
                                           const std::vector<Index>& axis, Index axes,
                                           const std::string& pairing, Index dim) {
  std::vector<OneParameterGroup> groups;
  for (Index a = 0; a < axes; ++a) {
    std::vector<DoubleDouble> own(frequencies.size());
    for (std::size_t j = 0; j < frequencies.size(); ++j)
      if (axis[j] == a) own[j] = frequencies[j];
    groups.push_back(rotation_group(own, pairing, dim));
  }
  return groups;
}

}  // namespace sextant
