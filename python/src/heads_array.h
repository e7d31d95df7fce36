// SPDX-License-Identifier: Apache-2.0
// Queries and keys as Python holds them: arrays of numpy, and anything that speaks DLPack.
#pragma once

#include <pybind11/numpy.h>

#include <optional>
#include <string>
#include <vector>

#include "sextant/rotary.h"

namespace sextant::python {

struct DLTensor;

// The order of the axes: tokens, heads, dim, or heads, tokens, dim.
enum class Layout { kTokenMajor, kHeadMajor };
Layout layout_of(const std::string& word);  // "thd", "htd"; kUsage for others

// Memory of our own, 64-byte aligned, that others take over by DLPack without a copy.
class HeadsBuffer {
 public:
  HeadsBuffer(std::vector<Index> shape, Dtype dtype);

  const std::vector<Index>& shape() const { return shape_; }
  Dtype dtype() const { return dtype_; }
  // Of version 1 or of the form before it; of this memory or of a copy.
  pybind11::capsule dlpack(bool versioned, bool copied) const;

 private:
  HeadsBuffer copy() const;

  std::vector<Index> shape_;
  Dtype dtype_;
  std::shared_ptr<std::byte> memory_;
};

// The memory of an array while this lives. `name` is the argument in errors.
class HeadsArray {
 public:
  // `dtype`: "bf16" reads uint16 of numpy as bit patterns; empty: as the array says. Throws kUsage,
  // naming the argument, for another type, number of axes or device, for a last axis with gaps, and
  // where `writable` and the array is not.
  HeadsArray(const pybind11::object& array, std::string name, const std::string& dtype,
             Layout layout, bool writable);

  const std::string& name() const { return name_; }
  const HeadsView& view() const { return view_; }

  // New memory of the same kind, shape and type: numpy's for numpy's, else a HeadsBuffer.
  pybind11::object empty_like() const;

 private:
  void take(const pybind11::array& array, const std::string& dtype, bool writable);
  void take_dlpack(const pybind11::object& array, bool writable);
  void fill(const DLTensor& tensor);
  void fill(void* data, Dtype dtype, const std::vector<Index>& shape,
            const std::vector<Index>& strides);

  std::string name_;
  Layout layout_;
  HeadsView view_;
  std::vector<Index> shape_;
  std::optional<pybind11::dtype> numpy_type_;
  pybind11::object keeps_;                // numpy's array
  std::shared_ptr<void> keeps_exporter_;  // of DLPack
};

}  // namespace sextant::python
