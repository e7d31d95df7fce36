// SPDX-License-Identifier: Apache-2.0
// Values of the library as arrays of numpy, and the other way round.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <utility>
#include <vector>

#include "io/npy.h"
#include "sextant/matrix.h"

namespace sextant::python {

// An array over the values of `vector`, which it keeps: no copy.
template <typename Value>
pybind11::array owned_array(std::vector<Value> vector, const pybind11::dtype& type,
                            const std::vector<Index>& shape) {
  auto kept = std::make_unique<std::vector<Value>>(std::move(vector));
  void* values = kept->data();
  const pybind11::capsule owner(
      kept.get(), [](void* pointer) { delete static_cast<std::vector<Value>*>(pointer); });
  static_cast<void>(kept.release());  // the capsule owns it
  return {type, shape, values, owner};
}

// Row-major doubles as the readers of files give them. REQUIRES: `array` is float64 and contiguous.
inline NpyArray npy_array(const pybind11::array_t<double, pybind11::array::c_style>& array) {
  NpyArray result;
  result.shape.assign(array.shape(), array.shape() + array.ndim());
  result.values.assign(array.data(), array.data() + array.size());
  return result;
}

}  // namespace sextant::python
