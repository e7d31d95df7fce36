// SPDX-License-Identifier: Apache-2.0
#include "heads_array.h"

#include <cstdlib>
#include <memory>

#include "base/check.h"
#include "dlpack.h"

namespace sextant::python {
namespace {

namespace py = pybind11;

// Neighbours in memory, row-major.
std::vector<Index> dense_strides(const std::vector<Index>& shape) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i > 1; --i) strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

Index bytes_of(const std::vector<Index>& shape, Dtype dtype) {
  Index bytes = bytes_per_value(dtype);
  for (const Index size : shape)
    require(!__builtin_mul_overflow(bytes, size, &bytes), "out", "sizes must not overflow");
  return bytes;
}

DLDataType dl_type(Dtype dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * bytes_per_value(dtype));
  return {dtype == Dtype::kBF16 ? kDLBfloat : kDLFloat, bits, 1};
}

Dtype dtype_of(const DLDataType& type, const std::string& name) {
  if (type.lanes == 1 && type.code == kDLFloat && type.bits == 32) return Dtype::kF32;
  if (type.lanes == 1 && type.code == kDLFloat && type.bits == 16) return Dtype::kF16;
  if (type.lanes == 1 && type.code == kDLBfloat && type.bits == 16) return Dtype::kBF16;
  fail(ErrorCode::kUsage, name,
       "must be float32, float16 or bfloat16 but is the DLPack type ({}, {} bits, {} lanes)",
       type.code, type.bits, type.lanes);
}

Dtype dtype_of(const py::dtype& type, const std::string& asked, const std::string& name) {
  const bool native = type.byteorder() == '=';
  const bool real = native && type.kind() == 'f';
  const bool bits = type.kind() == 'u' && type.itemsize() == 2;
  if (real && type.itemsize() == 4 && (asked.empty() || asked == "f32")) return Dtype::kF32;
  if (real && type.itemsize() == 2 && (asked.empty() || asked == "f16")) return Dtype::kF16;
  const auto words = py::str(static_cast<const py::object&>(type)).cast<std::string>();
  if (words == "bfloat16" && (asked.empty() || asked == "bf16")) return Dtype::kBF16;
  if (native && bits && asked == "bf16") return Dtype::kBF16;
  require(!bits || !asked.empty(), name, "uint16 needs dtype='bf16', which reads its bit patterns");
  fail(ErrorCode::kUsage, name, "must be {} but is {}",
       asked == "f32"    ? "float32"
       : asked == "f16"  ? "float16"
       : asked == "bf16" ? "uint16 with the bit patterns of bfloat16"
                         : "float32, float16 or bf16",
       words);
}

// Owns what the exporter handed out.
std::shared_ptr<DLManagedTensor> taken(const py::object& array, const std::string& name) {
  const auto device = py::cast<py::tuple>(array.attr("__dlpack_device__")());
  const auto kind = py::int_(device[0]).cast<std::int32_t>();
  require(kind == kDLCPU, name, "must be in the memory of the CPU but is on the DLPack device {}",
          kind);
  const py::object capsule = array.attr("__dlpack__")();
  void* pointer = PyCapsule_IsValid(capsule.ptr(), kCapsule) != 0
                      ? PyCapsule_GetPointer(capsule.ptr(), kCapsule)
                      : nullptr;
  require(pointer != nullptr, name, "__dlpack__ must return a capsule named '{}'", kCapsule);
  PyCapsule_SetName(capsule.ptr(), kUsedCapsule);
  return {static_cast<DLManagedTensor*>(pointer), [](DLManagedTensor* tensor) {
            if (tensor->deleter != nullptr) tensor->deleter(tensor);
          }};
}

// The capsule of a HeadsBuffer: its sizes, and a share of the memory.
struct Exported {
  DLManagedTensor tensor = {};
  std::vector<std::int64_t> shape, strides;
  std::shared_ptr<std::byte> memory;
};

void drop(DLManagedTensor* tensor) { delete static_cast<Exported*>(tensor->manager_ctx); }

// Nobody took it.
void drop_unused(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kCapsule) == 0) return;
  auto* tensor = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kCapsule));
  tensor->deleter(tensor);
}

}  // namespace

Layout layout_of(const std::string& word) {
  require(word == "thd" || word == "htd", "layout", "must be 'thd' or 'htd' but got '{}'", word);
  return word == "thd" ? Layout::kTokenMajor : Layout::kHeadMajor;
}

HeadsBuffer::HeadsBuffer(std::vector<Index> shape, Dtype dtype)
    : shape_(std::move(shape)), dtype_(dtype) {
  constexpr std::size_t kAlignment = 64;
  const auto bytes = static_cast<std::size_t>(bytes_of(shape_, dtype));
  const std::size_t rounded = (bytes / kAlignment + 1) * kAlignment;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
  if (memory == nullptr)
    fail(ErrorCode::kRefused, "out", "the result must fit the memory but takes {} bytes", bytes);
  memory_ = {memory, [](std::byte* pointer) { std::free(pointer); }};
}

py::capsule HeadsBuffer::dlpack() const {
  auto exported = std::make_unique<Exported>();
  exported->shape = shape_;
  exported->strides = dense_strides(shape_);
  exported->memory = memory_;
  exported->tensor = {.dl_tensor = {.data = memory_.get(),
                                    .device = {kDLCPU, 0},
                                    .ndim = static_cast<std::int32_t>(shape_.size()),
                                    .dtype = dl_type(dtype_),
                                    .shape = exported->shape.data(),
                                    .strides = exported->strides.data(),
                                    .byte_offset = 0},
                      .manager_ctx = exported.get(),
                      .deleter = drop};
  const py::capsule capsule(&exported->tensor, kCapsule, drop_unused);
  static_cast<void>(exported.release());  // the capsule owns it
  return capsule;
}

HeadsArray::HeadsArray(const py::object& array, std::string name, const std::string& dtype,
                       Layout layout, bool writable)
    : name_(std::move(name)), layout_(layout) {
  require(dtype.empty() || dtype == "f32" || dtype == "f16" || dtype == "bf16", "dtype",
          "must be 'f32', 'f16' or 'bf16' but got '{}'", dtype);
  if (py::isinstance<py::array>(array)) {
    take(py::reinterpret_borrow<py::array>(array), dtype, writable);
  } else {
    require(py::hasattr(array, "__dlpack__") && py::hasattr(array, "__dlpack_device__"), name_,
            "must be an array of numpy or have __dlpack__ but is a '{}'",
            py::str(py::type::of(array).attr("__name__")).cast<std::string>());
    take_dlpack(array);
    require(dtype.empty() || sextant::name(view_.dtype) == dtype, name_, "must be {} but is {}",
            dtype, sextant::name(view_.dtype));
  }
}

void HeadsArray::take(const py::array& array, const std::string& dtype, bool writable) {
  require(!writable || array.writeable(), name_, "must not be read-only");
  const Dtype type = dtype_of(array.dtype(), dtype, name_);
  std::vector<Index> shape, strides;
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) {
    shape.push_back(array.shape(axis));
    const Index bytes = array.strides(axis);
    require(array.shape(axis) <= 1 || bytes % bytes_per_value(type) == 0, name_,
            "strides must be whole values but axis {} has {} bytes", axis, bytes);
    strides.push_back(bytes / bytes_per_value(type));
  }
  numpy_type_ = array.dtype();
  keeps_ = array;
  fill(const_cast<void*>(array.data()), type, shape, strides);
}

void HeadsArray::take_dlpack(const py::object& array) {
  const std::shared_ptr<DLManagedTensor> managed = taken(array, name_);
  keeps_exporter_ = managed;
  const DLTensor& tensor = managed->dl_tensor;
  const Dtype type = dtype_of(tensor.dtype, name_);
  const std::vector<Index> shape(tensor.shape, tensor.shape + tensor.ndim);
  const std::vector<Index> strides =
      tensor.strides != nullptr ? std::vector<Index>(tensor.strides, tensor.strides + tensor.ndim)
                                : dense_strides(shape);
  fill(static_cast<std::byte*>(tensor.data) + tensor.byte_offset, type, shape, strides);
}

void HeadsArray::fill(void* data, Dtype dtype, const std::vector<Index>& shape,
                      const std::vector<Index>& strides) {
  const bool tokens_first = layout_ == Layout::kTokenMajor;
  require(shape.size() == 3, name_, "must have the shape {} but has {} axes",
          tokens_first ? "[tokens, heads, dim]" : "[heads, tokens, dim]", shape.size());
  const bool empty = shape[0] == 0 || shape[1] == 0;
  require(empty || shape[2] <= 1 || strides[2] == 1, name_,
          "the last axis must be contiguous but has a stride of {} values", strides[2]);
  const std::size_t token = tokens_first ? 0 : 1, head = 1 - token;
  shape_ = shape;
  view_ = {.data = data,
           .dtype = dtype,
           .tokens = shape[token],
           .heads = shape[head],
           .dim = shape[2],
           .token_stride = strides[token],
           .head_stride = strides[head]};
}

py::object HeadsArray::empty_like() const {
  if (numpy_type_) return py::array(*numpy_type_, shape_);
  return py::cast(HeadsBuffer(shape_, view_.dtype));
}

}  // namespace sextant::python
