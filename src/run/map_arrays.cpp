// SPDX-License-Identifier: Apache-2.0
#include "run/map_arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace sextant {
namespace {

// The matrices of a stack, [..., d, d], one after the other. REQUIRES: square ones.
std::vector<Matrix> matrices(const NpyArray& array) {
  const Index d = array.shape.back();
  const auto size = static_cast<std::size_t>(d * d);
  std::vector<Matrix> result;
  for (std::size_t start = 0; start < array.values.size(); start += size) {
    Matrix matrix(d, d);
    std::copy_n(array.values.begin() + static_cast<Index>(start), size, matrix.values().begin());
    result.push_back(std::move(matrix));
  }
  return result;
}

std::string shape_of(const NpyArray& array) {
  return fmt::format("[{}]", fmt::join(array.shape, ", "));
}

// The last two axes must be equal, of `fewest` to `most` axes, none empty.
void require_stack(const NpyArray& array, std::string_view where, std::size_t fewest,
                   std::size_t most, std::string_view expected) {
  const std::vector<Index>& shape = array.shape;
  const bool square = shape.size() >= 2 && shape.back() == shape[shape.size() - 2];
  if (!square || shape.size() < fewest || shape.size() > most || array.values.empty())
    fail(ErrorCode::kMalformed, where, "array must have the shape {} but got {}", expected,
         shape_of(array));
}

// One stack per content.
std::vector<std::vector<Matrix>> contents_of(const NpyArray& array, std::string_view where,
                                             Index& positions) {
  require_stack(array, where, 3, 4, "[n, d, d] or [contents, n, d, d]");
  positions = array.shape[array.shape.size() - 3];
  std::vector<Matrix> all = matrices(array);
  std::vector<std::vector<Matrix>> result;
  for (auto next = all.begin(); next != all.end(); next += positions)
    result.emplace_back(std::make_move_iterator(next), std::make_move_iterator(next + positions));
  return result;
}

}  // namespace

std::vector<Matrix> generators_of(const NpyArray& array, std::string_view where) {
  require_stack(array, where, 2, 3, "[d, d] or [axes, d, d]");
  if (array.shape.size() == 3 && array.shape[0] > kMaxAxes)
    fail(ErrorCode::kMalformed, where, "array must hold 1 to {} generators but holds {}", kMaxAxes,
         array.shape[0]);
  return matrices(array);
}

MapSamples maps_of(const NpyArray& f, std::string_view where_f, const NpyArray& g,
                   std::string_view where_g, const std::optional<Positions>& at) {
  Index queries = 0, keys = 0;
  std::vector<std::vector<Matrix>> of_f = contents_of(f, where_f, queries);
  std::vector<std::vector<Matrix>> of_g = contents_of(g, where_g, keys);
  require(of_f.size() == of_g.size(), "--maps",
          "both stacks must have one number of contents but have {} and {}", of_f.size(),
          of_g.size());
  MapSamples samples;
  samples.s = at.value_or(Positions::range(queries));
  samples.t = at.value_or(Positions::range(keys));
  require(samples.s.size() == queries && samples.t.size() == keys, "--at",
          "must hold a position for each of the {} and {} maps but holds {}", queries, keys,
          samples.s.size());
  samples.f = std::move(of_f.front());
  samples.g = std::move(of_g.front());
  for (std::size_t k = 1; k < of_f.size(); ++k)
    samples.contents.push_back({std::move(of_f[k]), std::move(of_g[k])});
  return samples;
}

KernelSamples kernel_of(NpyArray array, bool two_sided, std::string_view where) {
  if (array.shape.size() != 1)
    fail(ErrorCode::kMalformed, where, "kernel must have the shape [n] but got {}",
         shape_of(array));
  if (!two_sided) return {std::move(array.values), {}};
  const Index size = array.shape[0];
  if (size % 2 == 0)
    fail(ErrorCode::kMalformed, where,
         "a two-sided kernel must have an odd number of lags, lag 0 in the middle, but has {}",
         size);
  const auto middle = array.values.begin() + size / 2;
  KernelSamples samples{{middle, array.values.end()}, {array.values.begin(), middle + 1}};
  std::ranges::reverse(samples.ahead);
  return samples;
}

Positions positions_of(const NpyArray& array, std::string_view where) {
  if (array.shape.size() != 1 && array.shape.size() != 2)
    fail(ErrorCode::kMalformed, where, "positions must have the shape [n] or [n, axes] but got {}",
         shape_of(array));
  if (array.shape[0] == 0) fail(ErrorCode::kMalformed, where, "holds no positions");
  Matrix coordinates(array.shape[0], array.shape.size() == 1 ? 1 : array.shape[1]);
  std::ranges::copy(array.values, coordinates.values().begin());
  return Positions::from(std::move(coordinates));
}

}  // namespace sextant
