// SPDX-License-Identifier: Apache-2.0
#include "cli/map_files.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "cli/table_file.h"
#include "io/array_input.h"
#include "sextant/registry.h"

namespace sextant::cli {
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

// An array whose last two axes are equal and that has `fewest` to `most` axes, none empty.
NpyArray read_stack(const std::string& file, std::size_t fewest, std::size_t most,
                    std::string_view expected) {
  NpyArray array = read_array(file);
  const std::vector<Index>& shape = array.shape;
  const bool square = shape.size() >= 2 && shape.back() == shape[shape.size() - 2];
  if (!square || shape.size() < fewest || shape.size() > most || array.values.empty())
    fail(ErrorCode::kMalformed, path_text(file), "array must have the shape {} but got {}",
         expected, shape_text(shape));
  return array;
}

// One stack per content.
std::vector<std::vector<Matrix>> read_contents(const std::string& file, Index& positions) {
  const NpyArray array = read_stack(file, 3, 4, "[n, d, d] or [contents, n, d, d]");
  positions = array.shape[array.shape.size() - 3];
  std::vector<Matrix> all = matrices(array);
  std::vector<std::vector<Matrix>> result;
  for (auto next = all.begin(); next != all.end(); next += positions)
    result.emplace_back(std::make_move_iterator(next), std::make_move_iterator(next + positions));
  return result;
}

}  // namespace

bool names_array(std::string_view text) {
  const std::string_view before_colon = text.substr(0, text.find(':'));
  const std::vector<std::string> names = encodings().names();
  if (before_colon.size() < text.size() && std::ranges::find(names, before_colon) != names.end())
    return false;  // NAME:FILE is a spec
  return text.ends_with(".npy") || (names_tensor_file(text) && text.find('(') == text.npos);
}

std::vector<Matrix> read_generators(const std::string& file) {
  const NpyArray array = read_stack(file, 2, 3, "[d, d] or [axes, d, d]");
  if (array.shape.size() == 3 && array.shape[0] > kMaxAxes)
    fail(ErrorCode::kMalformed, path_text(file), "array must hold 1 to {} generators but holds {}",
         kMaxAxes, array.shape[0]);
  return matrices(array);
}

MapSamples read_maps(const std::string& f, const std::string& g, const std::string& at) {
  Index queries = 0, keys = 0;
  std::vector<std::vector<Matrix>> of_f = read_contents(f, queries);
  std::vector<std::vector<Matrix>> of_g = read_contents(g, keys);
  require(of_f.size() == of_g.size(), "--maps",
          "both stacks must have one number of contents but have {} and {}", of_f.size(),
          of_g.size());
  MapSamples samples;
  samples.s = at.empty() ? Positions::range(queries) : read_positions(at);
  samples.t = at.empty() ? Positions::range(keys) : samples.s;
  require(samples.s.size() == queries && samples.t.size() == keys, "--at",
          "must hold a position for each of the {} and {} maps but holds {}", queries, keys,
          samples.s.size());
  samples.f = std::move(of_f.front());
  samples.g = std::move(of_g.front());
  for (std::size_t k = 1; k < of_f.size(); ++k)
    samples.contents.push_back({std::move(of_f[k]), std::move(of_g[k])});
  return samples;
}

KernelSamples read_kernel(const std::string& file, bool two_sided) {
  NpyArray array = read_array(file);
  if (array.shape.size() != 1)
    fail(ErrorCode::kMalformed, path_text(file), "kernel must have the shape [n] but got {}",
         shape_text(array.shape));
  if (!two_sided) return {std::move(array.values), {}};
  const Index size = array.shape[0];
  if (size % 2 == 0)
    fail(ErrorCode::kMalformed, path_text(file),
         "a two-sided kernel must have an odd number of lags, lag 0 in the middle, but has {}",
         size);
  const auto middle = array.values.begin() + size / 2;
  KernelSamples samples{{middle, array.values.end()}, {array.values.begin(), middle + 1}};
  std::ranges::reverse(samples.ahead);
  return samples;
}

Positions read_positions(const std::string& file) {
  NpyArray array = read_array(file);
  if (array.shape.size() != 1 && array.shape.size() != 2)
    fail(ErrorCode::kMalformed, path_text(file),
         "positions must have the shape [n] or [n, axes] but got {}", shape_text(array.shape));
  if (array.shape[0] == 0) fail(ErrorCode::kMalformed, path_text(file), "holds no positions");
  Matrix coordinates(array.shape[0], array.shape.size() == 1 ? 1 : array.shape[1]);
  std::ranges::copy(array.values, coordinates.values().begin());
  return Positions::from(std::move(coordinates));
}

}  // namespace sextant::cli
