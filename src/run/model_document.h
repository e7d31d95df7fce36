// SPDX-License-Identifier: Apache-2.0
// What `inspect` says of a model as JSON (docs/models.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/json.h"
#include "sextant/model.h"

namespace sextant {

// One group of layers under one engine.
struct GroupReading {
  LayerGroup group = {};
  std::string spec = {};  // empty where `error` says why
  std::optional<RotaryOperator> rotary = {};
  double longest_wavelength = 0.0;  // in positions; 0: no pair turns
  Index incomplete = 0;             // pairs that make no full turn in `trained`
  double trained = 0.0;             // original length, else max_positions; 0: unknown
  std::string error = {};
};

struct ModelReading {
  Model model = {};
  Engine engine = Engine::kHuggingFace;
  Index length = 0;  // 0: the model's longest
  std::vector<GroupReading> groups = {};
  std::string fingerprint = {};  // empty where a group cannot be evaluated
};

// An engine that cannot evaluate a group is a result: its reason is kept as text.
ModelReading read_positions(const Model& model, Engine engine, Index length);

// encoding, inv_freq[], magnitude, softmax_factor and pairing are those of the first rotary group,
// or of the first group where nothing turns (inv_freq empty, magnitude and pairing null).
void add_model(Json& document, const ModelReading& reading);

}  // namespace sextant
