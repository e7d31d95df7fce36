// SPDX-License-Identifier: Apache-2.0
// Where a head without content looks: how much of its weight lies beyond the training length, how
// many keys it attends to, and how its weights behave there.
//
// Beyond training are keys at positions >= train where there are rows of an input table, and keys
// at lags >= train where there are none.
#pragma once

#include <vector>

#include "sextant/profile.h"
#include "theory/head_logits.h"

namespace sextant {

// Of one query, over the keys 0..s.
struct HeadRow {
  double weight_beyond = 0.0;   // on keys beyond training
  double effective_keys = 1.0;  // exp of the entropy
  double mean_lag = 0.0;
  double low = 0.0, high = 0.0;  // of the logits of all its keys; NaN where one is not finite
};

struct HeadAttention {
  Vector first_key;           // z(t, 0): the logit of query t at the first key, at lag t
  Vector weights;             // of the last query against the lag, [positions]
  std::vector<HeadRow> rows;  // of every query
};

// O(positions) where the logits depend on the lag only, else O(positions^2).
HeadAttention head_attention(const HeadLogits& logits, Index train);

// A step of the weights counts where it changes them by more than this share: less is rounding.
inline constexpr double kStep = 1e-9;
// Weights that differ by less than this share are flat: less than a model in float can use.
inline constexpr double kFlat = 1e-6;
// A tail is smooth where at most one step in twenty goes the other way: the edges of buckets and
// the last beat of a rotation that dies out do not make it erratic; beats of rotations that live on
// go up about every other step.
inline constexpr double kSmooth = 0.05;

// Fewer steps have no shape.
inline constexpr std::size_t kFewestSteps = 4;

struct TailShape {
  Tail tail = Tail::kUndefined;
  double roughness = 0.0;  // steps up over all steps
};

// The weights of the last query on keys beyond training, by rising lag.
std::span<const double> weights_beyond(const HeadLogits& logits, std::span<const double> weights,
                                       Index train);

// Of such weights; undefined with fewer than kFewestSteps steps, or where one is not finite.
TailShape tail_shape(std::span<const double> tail);

}  // namespace sextant
