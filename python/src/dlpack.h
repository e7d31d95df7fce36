// SPDX-License-Identifier: Apache-2.0
// The binary interface of DLPack, by which libraries hand arrays to each other: a capsule holds a
// managed tensor, of version 1 or, for who does not ask for a version, of the form before it; who
// takes it renames it to its used name and calls the deleter when done
// (https://dmlc.github.io/dlpack/latest/c_api.html).
#pragma once

#include <cstdint>

namespace sextant::python {

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
  static constexpr char kCapsule[] = "dltensor";
  static constexpr char kUsedCapsule[] = "used_dltensor";

  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

struct DLPackVersion {
  std::uint32_t major;  // another one has another layout behind the deleter
  std::uint32_t minor;
};
inline constexpr DLPackVersion kDLPackVersion = {1, 0};

inline constexpr std::uint64_t kReadOnly = 1, kIsCopied = 2;  // flags

struct DLManagedTensorVersioned {
  static constexpr char kCapsule[] = "dltensor_versioned";
  static constexpr char kUsedCapsule[] = "used_dltensor_versioned";

  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};

}  // namespace sextant::python
