// SPDX-License-Identifier: Apache-2.0
// Where a head without content looks: how much of its weight lies beyond the training length, how
// many keys it attends to, and how its weights behave far away.
#pragma once

#include <vector>

#include "sextant/profile.h"
#include "theory/head_logits.h"

namespace sextant {

// Of one query, over the keys 0..s.
struct HeadRow {
  double weight_beyond = 0.0;   // on lags >= train
  double effective_keys = 1.0;  // exp of the entropy
  double mean_lag = 0.0;
};

struct HeadAttention {
  Vector logits;              // of the last query against the lag, [positions]
  Vector weights;             // their softmax
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

struct TailShape {
  Tail tail = Tail::kUndefined;
  double roughness = 0.0;  // steps up over all steps
};

// Of weights at lags train-1, train, ...; undefined without two of them, or where one is not
// finite.
TailShape tail_shape(std::span<const double> weights, Index train);

}  // namespace sextant
