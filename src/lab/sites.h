// SPDX-License-Identifier: Apache-2.0
// The sites of an encoding as tensors for positions 0..n-1: all that attention needs to know of it.
#pragma once

#include "lab/torch.h"
#include "sextant/transformer.h"

namespace sextant {

// A tensor that is not defined: the site is empty. w is the width of a head. Logits are
// (q^T A k + u^T q + v^T k + c) / sqrt(w) + b, as in the plain forward pass.
struct SiteTensors {
  torch::Tensor rows;                // [n, dim]
  torch::Tensor query_map, key_map;  // [n, w, w]: q_s becomes M_s q_s, k_t becomes M_t k_t
  torch::Tensor lag_map;             // [2n-1, w, w], A(lag) at lag + n - 1, where A does not split
  torch::Tensor query_terms;         // u, [heads or 1, n, n, w]
  torch::Tensor key_terms;           // v, the same
  torch::Tensor constants;           // c, [heads or 1, n, n]
  torch::Tensor bias;                // b, [heads or 1, n, n]; -infinity masks the pair
};

// Of an encoding that nothing trains. Pairs that a causal mask hides are not asked for: they are 0.
SiteTensors site_tensors(const Effects& effects, const TransformerShape& shape, Index n,
                         const torch::TensorOptions& options);

// The sites of two terms of a composite, each site of which at most one fills, but for rows, biases
// and constants, which are summed.
SiteTensors operator+(const SiteTensors& a, const SiteTensors& b);

// Scaled logits, [batch, heads, n, n], of queries and keys, [batch, heads, n, w].
torch::Tensor attention_logits(const torch::Tensor& q, const torch::Tensor& k,
                               const SiteTensors& sites);

}  // namespace sextant
