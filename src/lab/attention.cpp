// SPDX-License-Identifier: Apache-2.0
// What attention makes of the sites of an encoding.
#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/sites.h"

namespace sextant {
namespace {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// Each position of x, [batch, heads, n, w], through its own matrix.
torch::Tensor mapped(const torch::Tensor& x, const PositionMaps& maps) {
  const Index batch = x.size(0), heads = x.size(1), n = x.size(2), w = x.size(3);
  if (maps.offsets.empty()) {
    const torch::Tensor by_position = x.permute({2, 0, 1, 3}).reshape({n, batch * heads, w});
    return torch::bmm(by_position, maps.values.transpose(1, 2))
        .view({n, batch, heads, w})
        .permute({1, 2, 0, 3});
  }
  torch::Tensor sum;
  for (std::size_t k = 0; k < maps.offsets.size(); ++k) {
    const Index offset = maps.offsets[k];
    const torch::Tensor term =
        (offset == 0 ? x : x.roll(-offset, 3)) * maps.values.select(1, static_cast<Index>(k));
    sum = sum.defined() ? sum + term : term;
  }
  return sum;
}

torch::Tensor split_content(const torch::Tensor& q, const torch::Tensor& k,
                            const SiteTensors& sites) {
  const torch::Tensor keys = mapped(k, sites.key_map).transpose(2, 3);
  const PositionMaps& maps = sites.query_map;
  if (maps.values.dim() == 3) return torch::matmul(mapped(q, maps), keys);
  std::vector<torch::Tensor> blocks;
  for (Index c = 0; c < maps.values.size(0); ++c) {
    const Index first = c * kKeyChunk, end = std::min(first + kKeyChunk, keys.size(3));
    const torch::Tensor queries = mapped(q, {.values = maps.values[c], .offsets = maps.offsets});
    blocks.push_back(torch::matmul(queries, keys.slice(3, first, end)));
  }
  return torch::cat(blocks, 3);
}

// One query at a time: its keys are a slice of the operators in the order of falling lag.
torch::Tensor lag_content(const torch::Tensor& q, const torch::Tensor& k,
                          const torch::Tensor& lag_map) {
  const Index batch = q.size(0), heads = q.size(1), n = q.size(2), w = q.size(3);
  const torch::Tensor falling =
      lag_map.flip(0).permute({1, 0, 2}).reshape({w, (2 * n - 1) * w});  // lag n-1 first
  std::vector<torch::Tensor> rows;
  for (Index s = 0; s < n; ++s) {
    const Index first = n - 1 - s;
    const torch::Tensor seen =
        torch::matmul(q.select(2, s), falling.slice(1, first * w, (first + n) * w));
    rows.push_back((seen.view({batch, heads, n, w}) * k).sum(3));
  }
  return torch::stack(rows, 2);
}

torch::Tensor query_content(const torch::Tensor& q, const torch::Tensor& u) {
  if (u.dim() == 4) return torch::matmul(u, q.permute({1, 2, 3, 0})).permute({3, 0, 1, 2});
  const torch::Tensor by_lag = torch::matmul(q, u.transpose(1, 2));  // [batch, heads, n, 2n-1]
  const Index n = q.size(2);
  return by_lag.gather(3, lag_index(n, q.device()).expand({q.size(0), q.size(1), n, n}));
}

torch::Tensor key_content(const torch::Tensor& k, const torch::Tensor& v) {
  // Exchanged, a pair of lag l has lag -l.
  const torch::Tensor exchanged = v.dim() == 4 ? v.transpose(1, 2) : v.flip(1);
  return query_content(k, exchanged).transpose(2, 3);
}

}  // namespace

torch::Tensor attention_logits(const torch::Tensor& q, const torch::Tensor& k,
                               const SiteTensors& sites) {
  torch::Tensor logits;
  if (sites.query_map.defined())
    logits = split_content(q, k, sites);
  else if (sites.lag_map.defined())
    logits = lag_content(q, k, sites.lag_map);
  else
    logits = torch::matmul(q, k.transpose(2, 3));
  if (sites.query_terms.defined()) logits = logits + query_content(q, sites.query_terms);
  if (sites.key_terms.defined()) logits = logits + key_content(k, sites.key_terms);
  if (sites.constants.defined()) logits = logits + sites.constants;
  logits = logits / std::sqrt(static_cast<double>(q.size(3)));
  return sites.bias.defined() ? logits + sites.bias : logits;
}

PairMask pair_mask(torch::Tensor hidden, const torch::Tensor& bias) {
  if (bias.defined()) {
    const torch::Tensor masked = bias.detach() == kMasked;
    if (masked.any().item<bool>()) hidden = hidden.defined() ? hidden | masked : masked;
  }
  if (!hidden.defined()) return {};
  const torch::Tensor alone = hidden.all(-1, /*keepdim=*/true);
  return {.hidden = hidden, .alone = alone.any().item<bool>() ? alone : torch::Tensor()};
}

torch::Tensor attention_weights(torch::Tensor logits, const PairMask& mask) {
  if (mask.hidden.defined()) logits = logits.masked_fill(mask.hidden, kMasked);
  if (!mask.alone.defined()) return torch::softmax(logits, 3);
  return torch::softmax(logits.masked_fill(mask.alone, 0.0), 3).masked_fill(mask.alone, 0.0);
}

}  // namespace sextant
