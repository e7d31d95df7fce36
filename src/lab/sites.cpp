// SPDX-License-Identifier: Apache-2.0
#include "lab/sites.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "theory/actions.h"
#include "theory/head_logits.h"

namespace sextant {
namespace {

constexpr double kMostBytes = 2147483648.0;

double real(Index t) { return static_cast<double>(t); }

// Zeros on the CPU in double, to be filled. `options` decides what they will take in the end.
torch::Tensor planned(std::vector<std::int64_t> sizes, const torch::TensorOptions& options) {
  double bytes = static_cast<double>(options.dtype().itemsize());
  for (const std::int64_t size : sizes) bytes *= static_cast<double>(size);
  if (bytes > kMostBytes)
    fail(ErrorCode::kRefused, "positions", "a site must take at most 2 GB but would take {:.1f} GB",
         bytes / 1e9);
  return torch::zeros(sizes, torch::kDouble);
}

void write(const Matrix& matrix, torch::Tensor place) {
  place.copy_(to_torch(matrix, torch::kDouble));
}

// By diagonals where these are fewer numbers by far: rotations have two or three.
PositionMaps position_maps(const torch::Tensor& dense, const torch::TensorOptions& options) {
  constexpr Index kFewer = 4;
  const Index w = dense.size(-1);
  const torch::Tensor used = dense.reshape({-1, w, w}).ne(0.0).any(0);
  const torch::Tensor i = torch::arange(w);
  PositionMaps maps;
  std::vector<torch::Tensor> diagonals;
  for (Index offset = 0; offset < w; ++offset) {
    const torch::Tensor j = (i + offset).remainder(w);
    if (!used.index({i, j}).any().item<bool>()) continue;
    maps.offsets.push_back(offset);
    diagonals.push_back(dense.index({torch::indexing::Ellipsis, i, j}));
  }
  if (kFewer * static_cast<Index>(diagonals.size()) > w) return {.values = dense.to(options)};
  maps.values = torch::stack(diagonals, -2).to(options);
  return maps;
}

// The magnitude of each coordinate, [w]: at position 0 nothing else is left of the map.
torch::Tensor magnitudes(const QueryKeyMap& map) {
  Vector ones(static_cast<std::size_t>(map.dim()), 1.0);
  map.apply_to_key(0.0, ones);
  return to_torch(ones, torch::kDouble);
}

// Whether A is orthogonal. What scales all norms alike decays or grows too.
bool keeps_norms(const QueryKeyMap& map, Index n) {
  constexpr double kRounding = 1e-12;
  const torch::Tensor m = magnitudes(map);
  const torch::Tensor a = to_torch(map.at(real(n - 1)), torch::kDouble) / (m * m);
  const torch::Tensor unit = torch::eye(map.dim(), torch::kDouble);
  return (torch::mm(a.t(), a) - unit).abs().max().item<double>() <= kRounding;
}

// magnitude A(s - origin)^T for queries and magnitude A(origin - t) for keys.
void add_split_map(const QueryKeyMap& map, const TransformerShape& shape, Index n,
                   const torch::TensorOptions& options, SiteTensors& sites) {
  const Index w = map.dim();
  const Index chunk = keeps_norms(map, n) ? n : std::min(n, kKeyChunk);
  const Index chunks = (n + chunk - 1) / chunk;
  const torch::Tensor half = magnitudes(map).reciprocal();
  torch::Tensor queries = planned({chunks, n, w, w}, options);
  for (Index c = 0; c < chunks; ++c)
    for (Index s = shape.causal ? c * chunk : 0; s < n; ++s)
      write(map.at(real(s - c * chunk)), queries[c][s].t());
  torch::Tensor keys = planned({n, w, w}, options);
  for (Index t = 0; t < n; ++t) write(map.at(real(-(t % chunk))), keys[t]);
  sites.query_map = position_maps((chunks == 1 ? queries.squeeze(0) : queries).mul_(half), options);
  sites.key_map = position_maps(keys.mul_(half), options);
}

void add_map(const QueryKeyMap& map, const TransformerShape& shape, Index n,
             const torch::TensorOptions& options, SiteTensors& sites) {
  const Index w = shape.dim / shape.heads;
  require(map.dim() == w, "transformer", "a query must have width {} but its map has {}", w,
          map.dim());
  if (map.splits()) {
    add_split_map(along_the_diagonal(map), shape, n, options, sites);
    return;
  }
  torch::Tensor lags = planned({2 * n - 1, w, w}, options);
  for (Index lag = shape.causal ? 0 : 1 - n; lag < n; ++lag)
    write(map.between(real(lag), 0.0), lags[lag + n - 1]);
  sites.lag_map = lags.to(options);
}

torch::Tensor bias_tensor(const LogitBias& bias, const TransformerShape& shape, Index n,
                          const torch::TensorOptions& options) {
  torch::Tensor result = planned({shape.heads, n, n}, options);
  auto values = result.accessor<double, 3>();
  for (Index head = 0; head < shape.heads; ++head)
    for (Index s = 0; s < n; ++s)
      for (Index t = 0; t < (shape.causal ? s + 1 : n); ++t)
        values[head][s][t] = bias.at(head, real(s), real(t));
  return result.to(options);
}

// u, v and c of one pair into row `place` of tensors whose last axis is the width.
struct OffsetWriter {
  torch::Tensor u, v, c;
  Index width;

  void operator()(Index place, const LinearTerms& terms) {
    require(static_cast<Index>(terms.u.size()) == width && terms.v.size() == terms.u.size(),
            "transformer", "offsets must have width {} but have {}", width, terms.u.size());
    std::ranges::copy(terms.u, u.data_ptr<double>() + place * width);
    std::ranges::copy(terms.v, v.data_ptr<double>() + place * width);
    c.data_ptr<double>()[place] = terms.c;
  }
};

void add_offset(const KeyOffset& offset, const TransformerShape& shape, Index n,
                const torch::TensorOptions& options, SiteTensors& sites) {
  const Index w = shape.dim / shape.heads, heads = shape.heads;
  const bool by_lag = n > 0 && depends_on_lag_only(offset, n);
  const std::vector<std::int64_t> pairs =
      by_lag ? std::vector<std::int64_t>{heads, 2 * n - 1} : std::vector<std::int64_t>{heads, n, n};
  std::vector<std::int64_t> wide = pairs;
  wide.push_back(w);
  OffsetWriter write_terms{.u = planned(wide, options),
                           .v = planned(wide, options),
                           .c = planned(pairs, options),
                           .width = w};
  for (Index head = 0; head < heads; ++head) {
    for (Index lag = shape.causal ? 0 : 1 - n; by_lag && lag < n; ++lag) {
      const Index s = std::max<Index>(lag, 0);
      write_terms(head * (2 * n - 1) + lag + n - 1, offset.at(head, real(s), real(s - lag)));
    }
    for (Index s = 0; !by_lag && s < n; ++s)
      for (Index t = 0; t < (shape.causal ? s + 1 : n); ++t)
        write_terms((head * n + s) * n + t, offset.at(head, real(s), real(t)));
  }
  const auto site = [&](const torch::Tensor& values) {
    return values.any().item<bool>() ? values.to(options) : torch::Tensor();
  };
  sites.query_terms = site(write_terms.u);
  sites.key_terms = site(write_terms.v);
  const torch::Tensor& c = write_terms.c;
  sites.constants =
      site(by_lag ? c.index({torch::indexing::Slice(), lag_index(n, c.device())}) : c);
}

torch::Tensor sum(const torch::Tensor& a, const torch::Tensor& b) {
  if (!a.defined()) return b;
  return b.defined() ? a + b : a;
}

torch::Tensor sum_of_terms(torch::Tensor a, torch::Tensor b) {
  const auto by_pair = [](torch::Tensor& terms) {
    if (terms.dim() == 3)
      terms = terms.index(
          {torch::indexing::Slice(), lag_index((terms.size(1) + 1) / 2, terms.device())});
  };
  if (a.defined() && b.defined() && a.dim() != b.dim()) {
    by_pair(a);
    by_pair(b);
  }
  return sum(a, b);
}

template <typename Map>
Map either(const Map& a, const Map& b) {
  require(!(a.defined() && b.defined()), "encoding",
          "the query/key site must have one encoding but got a second one");
  return a.defined() ? a : b;
}

}  // namespace

SiteTensors site_tensors(const Effects& effects, const TransformerShape& shape, Index n,
                         const torch::TensorOptions& options) {
  SiteTensors sites;
  if (effects.input)
    sites.rows = to_torch(
        input_rows(*effects.input, {.positions = n, .dim = shape.dim, .heads = shape.heads},
                   Positions::range(n)),
        options);
  if (effects.query_key) add_map(*effects.query_key, shape, n, options, sites);
  if (effects.logit) sites.bias = bias_tensor(*effects.logit, shape, n, options);
  if (effects.key_offset) add_offset(*effects.key_offset, shape, n, options, sites);
  return sites;
}

SiteTensors operator+(const SiteTensors& a, const SiteTensors& b) {
  return {.rows = sum(a.rows, b.rows),
          .query_map = either(a.query_map, b.query_map),
          .key_map = either(a.key_map, b.key_map),
          .lag_map = either(a.lag_map, b.lag_map),
          .query_terms = sum_of_terms(a.query_terms, b.query_terms),
          .key_terms = sum_of_terms(a.key_terms, b.key_terms),
          .constants = sum(a.constants, b.constants),
          .bias = sum(a.bias, b.bias)};
}

torch::Tensor lag_index(Index n, const torch::Device& device) {
  const torch::Tensor t = torch::arange(n, torch::TensorOptions(torch::kLong).device(device));
  return t.unsqueeze(1) - t + (n - 1);
}

}  // namespace sextant
