// SPDX-License-Identifier: Apache-2.0
// Which layers of a config treat positions alike.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/families.h"
#include "model/key_ledger.h"
#include "model/rope_keys.h"

namespace sextant {

inline constexpr Index kMostLayers = 100000;

// The groups of a rotary model, by first layer. `layers` is 0 where nothing says it. Notes what the
// family says rather than the file. Throws kMalformed, and kRefused beyond kMostLayers.
std::vector<LayerGroup> rotary_groups(const ConfigSection& section, const Family& family,
                                      const RopeTable& rope, Index layers,
                                      std::vector<std::string>& notes);

// Groups of the layers of one name each; `make` tells what a name does.
std::vector<LayerGroup> groups_by_name(
    const std::vector<std::string>& names,
    const std::function<LayerGroup(const std::string& name)>& make, std::string_view where);

// One name per layer: every `period`-th, counted from `first`, is full_attention.
std::vector<std::string> periodic_types(Index layers, Index period, Index first,
                                        const std::string& others);

// 0, 1, ..., layers - 1.
std::vector<Index> all_layers(Index layers);

}  // namespace sextant
