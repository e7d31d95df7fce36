// SPDX-License-Identifier: Apache-2.0
// The binary interface of DLPack before version 1.0, by which libraries hand arrays to each other:
// a capsule "dltensor" holds a DLManagedTensor*; who takes it renames it to "used_dltensor" and
// calls the deleter when done (https://dmlc.github.io/dlpack/latest/c_api.html).
#pragma once

#include <cstdint>

namespace sextant::python {

inline constexpr char kCapsule[] = "dltensor";
inline constexpr char kUsedCapsule[] = "used_dltensor";
inline constexpr std::int32_t kDLCPU = 1;
inline constexpr std::uint8_t kDLFloat = 2;
inline constexpr std::uint8_t kDLBfloat = 4;

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: row-major without gaps
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

}  // namespace sextant::python
