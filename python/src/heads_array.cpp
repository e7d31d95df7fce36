// SPDX-License-Identifier: Apache-2.0
#include "heads_array.h"

#include <algorithm>
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

// The mask of such an array would be lost without a word.
bool is_masked(const py::object& array) {
  return py::isinstance(array, py::module_::import("numpy.ma").attr("MaskedArray"));
}

// What an exporter answers. An exception of its own becomes one that names the argument; an
// interrupt stays what it is.
template <typename Question>
py::object answer(const std::string& name, const char* method, const Question& question) {
  try {
    return question();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;
    fail(ErrorCode::kUsage, name, "{} must not raise but raised {}", method,
         py::repr(error.value()).cast<std::string>());
  }
}

// By version 1 where the exporter knows versions.
py::object capsule_of(const py::object& array) {
  const py::object exporter = array.attr("__dlpack__");
  try {
    return exporter(py::arg("max_version") =
                        py::make_tuple(kDLPackVersion.major, kDLPackVersion.minor));
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError)) throw;
  }
  return exporter();
}

// The tensor in the capsule, which it then no longer owns; null where it holds another kind.
template <typename Managed>
std::shared_ptr<Managed> taken(const py::object& capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), Managed::kCapsule) == 0) return nullptr;
  auto* pointer = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), Managed::kCapsule));
  PyCapsule_SetName(capsule.ptr(), Managed::kUsedCapsule);
  return {pointer, [](Managed* tensor) {
            if (tensor->deleter != nullptr) tensor->deleter(tensor);
          }};
}

void require_cpu(const py::object& array, const std::string& name) {
  const char* method = "__dlpack_device__";
  const py::object device = answer(name, method, [&] { return array.attr(method)(); });
  require(py::isinstance<py::tuple>(device) && py::len(device) == 2, name,
          "{} must return a pair of numbers", method);
  const py::object kind = device[py::int_(0)];
  const py::object on_cpu =
      answer(name, method, [&] { return py::bool_(kind.equal(py::int_(kDLCPU))); });
  if (!on_cpu.cast<bool>())
    fail(ErrorCode::kUsage, name, "must be in the memory of the CPU but is on the DLPack device {}",
         py::str(answer(name, method, [&] { return py::repr(kind); })).cast<std::string>());
}

// What a capsule of a HeadsBuffer owns: its sizes, and a share of the memory.
template <typename Managed>
struct Exported {
  Managed managed = {};
  std::vector<std::int64_t> shape, strides;
  std::shared_ptr<std::byte> memory;
};

template <typename Managed>
void drop(Managed* managed) {
  delete static_cast<Exported<Managed>*>(managed->manager_ctx);
}

// Nobody took it.
template <typename Managed>
void drop_unused(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, Managed::kCapsule) == 0) return;
  drop(static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::kCapsule)));
}

template <typename Managed>
py::capsule exported(const std::vector<Index>& shape, Dtype dtype,
                     const std::shared_ptr<std::byte>& memory, const Managed& form) {
  auto made = std::make_unique<Exported<Managed>>();
  made->managed = form;
  made->shape = shape;
  made->strides = dense_strides(shape);
  made->memory = memory;
  made->managed.dl_tensor = {.data = memory.get(),
                             .device = {kDLCPU, 0},
                             .ndim = static_cast<std::int32_t>(shape.size()),
                             .dtype = dl_type(dtype),
                             .shape = made->shape.data(),
                             .strides = made->strides.data(),
                             .byte_offset = 0};
  made->managed.manager_ctx = made.get();
  made->managed.deleter = drop<Managed>;
  const py::capsule capsule(&made->managed, Managed::kCapsule, drop_unused<Managed>);
  static_cast<void>(made.release());  // the capsule owns it
  return capsule;
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

HeadsBuffer HeadsBuffer::copy() const {
  HeadsBuffer result(shape_, dtype_);
  std::copy_n(memory_.get(), bytes_of(shape_, dtype_), result.memory_.get());
  return result;
}

py::capsule HeadsBuffer::dlpack(bool versioned, bool copied) const {
  const std::shared_ptr<std::byte> memory = copied ? copy().memory_ : memory_;
  if (!versioned) return exported(shape_, dtype_, memory, DLManagedTensor{});
  DLManagedTensorVersioned form = {};
  form.version = kDLPackVersion;
  form.flags = copied ? kIsCopied : 0;
  return exported(shape_, dtype_, memory, form);
}

HeadsArray::HeadsArray(const py::object& array, std::string name, const std::string& dtype,
                       Layout layout, bool writable)
    : name_(std::move(name)), layout_(layout) {
  require(dtype.empty() || dtype == "f32" || dtype == "f16" || dtype == "bf16", "dtype",
          "must be 'f32', 'f16' or 'bf16' but got '{}'", dtype);
  if (py::isinstance<py::array>(array)) {
    require(!is_masked(array), name_,
            "must not be a masked array; .filled(VALUE) gives a plain one");
    take(py::reinterpret_borrow<py::array>(array), dtype, writable);
  } else {
    require(py::hasattr(array, "__dlpack__") && py::hasattr(array, "__dlpack_device__"), name_,
            "must be an array of numpy or have __dlpack__ but is a '{}'",
            py::str(py::type::of(array).attr("__name__")).cast<std::string>());
    take_dlpack(array, writable);
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

void HeadsArray::take_dlpack(const py::object& array, bool writable) {
  require_cpu(array, name_);
  const py::object capsule = answer(name_, "__dlpack__", [&] { return capsule_of(array); });
  if (const auto managed = taken<DLManagedTensorVersioned>(capsule)) {
    keeps_exporter_ = managed;
    require(managed->version.major == kDLPackVersion.major, name_,
            "must speak DLPack {} but speaks {}", kDLPackVersion.major, managed->version.major);
    require(!writable || (managed->flags & kReadOnly) == 0, name_, "must not be read-only");
    fill(managed->dl_tensor);
  } else {
    const auto unversioned = taken<DLManagedTensor>(capsule);
    require(unversioned != nullptr, name_, "__dlpack__ must return a capsule named '{}' or '{}'",
            DLManagedTensorVersioned::kCapsule, DLManagedTensor::kCapsule);
    keeps_exporter_ = unversioned;
    fill(unversioned->dl_tensor);
  }
}

void HeadsArray::fill(const DLTensor& tensor) {
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
