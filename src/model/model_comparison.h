// SPDX-License-Identifier: Apache-2.0
// Two models under engines' rules, layer by layer: on what they agree and on what they differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/comparison.h"
#include "sextant/model.h"

namespace sextant {

// A model as one engine runs it.
struct ModelSide {
  const Model& model;
  Engine engine = Engine::kHuggingFace;
};

struct ComparedFact {
  std::string what = {};                // "spec", "magnitude", "slopes", ...
  std::string first = {}, second = {};  // as people read them
  bool agree = true;
};

// Layers that meet the same pair of groups.
struct GroupComparison {
  std::vector<Index> layers = {};       // empty: the number of layers is unknown
  std::string first = {}, second = {};  // names of the groups; empty: the model has no such layer
  PositionKind first_kind = PositionKind::kNone, second_kind = PositionKind::kNone;
  std::vector<ComparedFact> facts = {};
  std::vector<std::string> first_assumptions = {}, second_assumptions = {};
  std::optional<OperatorComparison> rotary = {};  // where both turn

  bool equal() const;
};

struct ModelComparison {
  std::string first_fingerprint = {}, second_fingerprint = {};
  Index length = 0;  // of the sequences; 0: each model's own
  std::vector<GroupComparison> groups = {};

  bool equal() const;
};

// For sequences of `length` tokens; 0: the context of each. The horizon of the angles is `length`,
// or the longer context, and at most kLongestHorizon. Throws as rotary_operator() does.
ModelComparison compare_models(const ModelSide& first, const ModelSide& second, Index length = 0);

}  // namespace sextant
