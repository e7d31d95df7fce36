// SPDX-License-Identifier: Apache-2.0
// Models from configs written in a test, and the plain ladder to hold them against.
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "io/json_input.h"
#include "model/model_files.h"

namespace sextant {

inline Model model_of(std::string_view json) {
  return describe_config({"config.json", parse_json(json, "config.json")});
}

// theta^(-2i/d) for i = 0..d/2-1.
inline std::vector<long double> plain_ladder(long double theta, int dim) {
  std::vector<long double> ladder;
  for (int i = 0; i < dim / 2; ++i) ladder.push_back(std::pow(theta, -2.0L * i / dim));
  return ladder;
}

inline const KeyUse* find_key(const Model& model, std::string_view pointer) {
  for (const KeyUse& use : model.keys)
    if (use.pointer == pointer) return &use;
  return nullptr;
}

}  // namespace sextant
