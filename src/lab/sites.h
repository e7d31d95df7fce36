// SPDX-License-Identifier: Apache-2.0
// The sites of an encoding as tensors for positions 0..n-1: all that attention needs to know of it.
#pragma once

#include "lab/torch.h"
#include "sextant/transformer.h"

namespace sextant {

// A matrix M_t for each position: dense, or, where few diagonals hold all of it, by these:
// (M_t x)_i is the sum over k of values[t][k][i] x_{i + offsets[k]}, indices modulo w.
struct PositionMaps {
  torch::Tensor values = {};  // [n, w, w], or [n, k, w] with offsets
  std::vector<Index> offsets = {};
  bool defined() const { return values.defined(); }
};

// A tensor that is not defined: the site is empty. w is the width of a head. Logits are
// (q^T A k + u^T q + v^T k + c) / sqrt(w) + b, as in the plain forward pass.
struct SiteTensors {
  torch::Tensor rows = {};  // [n, dim]
  // q_s becomes Q_s q_s, k_t becomes K_t k_t. The query's values may have an axis of chunks before
  // the others, where keys of chunk c, kKeyChunk c and following, meet queries that chunk c of the
  // maps has mapped.
  PositionMaps query_map = {}, key_map = {};
  torch::Tensor lag_map = {};  // [2n-1, w, w], A(lag) at lag + n - 1, where A does not split
  // u and v: [heads or 1, 2n-1, w] by lag, as above, or [heads or 1, n, n, w] by pair.
  torch::Tensor query_terms = {}, key_terms = {};
  torch::Tensor constants = {};  // c, [heads or 1, n, n]
  torch::Tensor bias = {};       // b, [heads or 1, n, n]; -infinity masks the pair
};

// Maps that grow or decay count positions from the chunk of their key, as the plain pass does:
// otherwise factors of far positions overflow, and their product has lost its digits.
inline constexpr Index kKeyChunk = 64;

// Of an encoding that nothing trains. Pairs that a causal mask hides are not asked for: they are 0.
// Throws kUsage where a site does not fit the shape, kRefused for a tensor beyond 2 GB.
SiteTensors site_tensors(const Effects& effects, const TransformerShape& shape, Index n,
                         const torch::TensorOptions& options);

// The sites of two terms of a composite. Rows, biases, u, v and c are summed; at most one of the
// terms may have a map.
SiteTensors operator+(const SiteTensors& a, const SiteTensors& b);

// lag + n - 1 of every pair, [n, n]: the way from a list by lag to a table of pairs.
torch::Tensor lag_index(Index n, const torch::Device& device);

// Scaled logits, [batch, heads, n, n], of queries and keys, [batch, heads, n, w].
torch::Tensor attention_logits(const torch::Tensor& q, const torch::Tensor& k,
                               const SiteTensors& sites);

// Which pairs do not exist. Not defined: all do, and no query is without a key.
struct PairMask {
  torch::Tensor hidden = {};  // of bool, broadcast to the logits
  torch::Tensor alone = {};   // queries without a key, the same with one key
};
// Of what `hidden` (may be undefined) and a bias of -infinity exclude.
PairMask pair_mask(torch::Tensor hidden, const torch::Tensor& bias);

// Softmax over keys. A query without a key has weights, and gradients, of 0.
torch::Tensor attention_weights(torch::Tensor logits, const PairMask& mask);

}  // namespace sextant
