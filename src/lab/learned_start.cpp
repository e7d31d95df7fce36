// SPDX-License-Identifier: Apache-2.0
#include "lab/learned_start.h"

#include <algorithm>

namespace sextant {

Params params_of(const LearnedStart& start) {
  const EncodingInfo& info = encodings().info(start.term.name);
  return {info.name, info.params, start.term, EncodingSpec{.terms = {start.term}}.text()};
}

std::unique_ptr<Encoding> with_values(const LearnedStart& start, const TensorMap& values) {
  return encodings().make(EncodingSpec{.terms = {for_values(start.term)}}.text(), values);
}

Index head_width(const LearnedStart& start) { return start.shape.dim / start.shape.heads; }

Tensor stored(const torch::Tensor& tensor) {
  return {.shape = {tensor.sizes().begin(), tensor.sizes().end()},
          .values = to_vector(tensor.reshape({-1}))};
}

torch::Tensor lag_range(Index first, Index last) {
  return torch::arange(first, last + 1, torch::kDouble);
}

torch::Tensor by_pair(const torch::Tensor& by_lag, Index n) {
  return by_lag.unfold(-1, n, 1).flip(-1);
}

Index lowest_lag(Index n, bool causal) { return 1 - (causal ? std::min(n, kKeyChunk) : n); }

SiteTensors split_maps(const torch::Tensor& a, Index n) {
  const Index lowest = n - a.size(0);
  const Index chunks = (n + kKeyChunk - 1) / kKeyChunk;
  const auto longs = torch::TensorOptions(torch::kLong).device(a.device());
  const torch::Tensor t = torch::arange(n, longs);
  const torch::Tensor origin = kKeyChunk * torch::arange(chunks, longs).unsqueeze(1);
  const torch::Tensor lags = (t - origin).clamp_min(lowest);  // [chunks, n]
  const torch::Tensor queries = a.index({lags - lowest}).transpose(-1, -2);
  return {.query_map = {.values = chunks == 1 ? queries.squeeze(0) : queries},
          .key_map = {.values = a.index({-t.remainder(kKeyChunk) - lowest})}};
}

}  // namespace sextant
