// SPDX-License-Identifier: Apache-2.0
// Logit biases as matrices and as slopes.
#include "sextant/bias.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "base/check.h"
#include "base/memory.h"
#include "module.h"
#include "run/limits.h"

namespace sextant::python {
namespace {

namespace py = pybind11;

// Positions that a bias is made for at most: lags are exact in float.
constexpr Index kMostLength = Index{1} << 24;

// The largest end of two ranges of positions.
Index length_of(Index first_query, Index queries, Index first_key, Index keys) {
  require_range("queries", queries, 1, kMostLength);
  require_range("keys", keys, 1, kMostLength);
  require_range("first_query", first_query, 0, kMostLength - queries);
  require_range("first_key", first_key, 0, kMostLength - keys);
  return std::max(first_query + queries, first_key + keys);
}

void require_memory(Index heads, Index queries, Index keys) {
  constexpr double kShare = 0.8;
  const double bytes =
      4.0 * static_cast<double>(heads) * static_cast<double>(queries) * static_cast<double>(keys);
  const std::optional<std::uint64_t> available = available_memory();
  if (available && bytes > kShare * static_cast<double>(*available))
    fail(ErrorCode::kRefused, "bias", "[{}, {}, {}] needs {:.2f} GB but {:.2f} GB are available",
         heads, queries, keys, bytes / 1e9, static_cast<double>(*available) / 1e9);
}

py::array_t<float> bias(const std::string& spec, Index heads, Index queries, Index keys,
                        Index first_query, Index first_key, Index threads) {
  require_range("heads", heads, 1, kMostHeads);
  require_range("threads", threads, 1, kMostThreads);
  const Index length = length_of(first_query, queries, first_key, keys);
  require_memory(heads, queries, keys);
  py::array_t<float> result({heads, queries, keys});
  const std::span<float> values(result.mutable_data(), static_cast<std::size_t>(result.size()));
  const py::gil_scoped_release released;
  BiasRows(spec, heads, length).fill(first_query, queries, first_key, keys, values, threads);
  return result;
}

py::array_t<float> slopes(const std::string& spec, Index heads, Index length) {
  require_range("heads", heads, 1, kMostHeads);
  require_range("length", length, 2, kMostLength);
  std::optional<std::vector<float>> found;
  {
    const py::gil_scoped_release released;
    found = BiasRows(spec, heads, length).slopes();
  }
  require(found.has_value(), spec, "has no slopes: its bias is not a line in the lag");
  return py::array_t<float>(std::ssize(*found), found->data());
}

}  // namespace

void bind_bias(py::module_& module) {
  module.def("bias", bias);
  module.def("slopes", slopes);
}

}  // namespace sextant::python
