// SPDX-License-Identifier: Apache-2.0
// Layout: magic, version, counts, key-value pairs, directory, padding to the alignment, data.
#include "io/gguf.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "io/bounded_reader.h"
#include "io/foreign_format.h"
#include "io/ggml_type.h"
#include "io/safetensors_input.h"
#include "io/stored_values.h"

namespace sextant {
namespace {

constexpr std::string_view kGgufMagic = "GGUF";
constexpr std::string_view kAlignmentKey = "general.alignment";
constexpr std::uint64_t kMostAlignment = 65536;
constexpr std::uint64_t kLongestKey = 65535;
constexpr std::uint64_t kMetadataBudget = std::uint64_t{256} << 20;
constexpr std::uint32_t kGgufTypes = 13, kMostGgmlDims = 4;

// Smallest records: length, one byte, type and value; length, one byte, one axis, type and offset.
constexpr std::uint64_t kLeastPair = 8 + 1 + 4 + 1;
constexpr std::uint64_t kLeastTensor = 8 + 1 + 4 + 8 + 4 + 8;

// Of one element; 8 for a string, whose length is stored.
std::uint64_t least_bytes(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    default:
      return 8;
  }
}

class GgufReader {
 public:
  explicit GgufReader(BoundedReader& input) : input_(input) { file_.name = input.name(); }

  GgufFile read() && {
    read_version();
    const std::uint64_t tensors = input_.number<std::uint64_t>("tensor count");
    const std::uint64_t pairs = input_.number<std::uint64_t>("key count");
    check_count(tensors, kLeastTensor, "tensors");
    check_count(pairs, kLeastPair, "keys");
    for (std::uint64_t i = 0; i < pairs; ++i) read_pair();
    file_.tensors.reserve(static_cast<std::size_t>(tensors));
    for (std::uint64_t i = 0; i < tensors; ++i) read_tensor_info();
    place_tensors();
    return std::move(file_);
  }

 private:
  void read_version() {
    if (input_.size() == 0) fail(ErrorCode::kMalformed, input_.name(), "empty");
    const std::string start = input_.start(kGgufMagic.size());
    if (start != kGgufMagic) {
      refuse_foreign_format(input_);
      input_.fail_at(0, "the magic of .gguf must be '{}' but got '{}'", kGgufMagic, escaped(start));
    }
    input_.skip(kGgufMagic.size(), "magic");
    const std::uint64_t at = input_.position();
    file_.version = input_.number<std::uint32_t>("version");
    if (file_.version != 0 && (file_.version & 0xffff) == 0)
      input_.fail_at(at, "big-endian GGUF is not read");
    if (file_.version != 2 && file_.version != 3)
      input_.fail_at(at, "version must be 2 or 3 but got {}", file_.version);
  }

  void check_count(std::uint64_t count, std::uint64_t least, std::string_view what) const {
    if (count > input_.remaining() / least)
      input_.fail_at(input_.position(), "{} {} do not fit the {} bytes that remain", count, what,
                     input_.remaining());
    if (count > kMostTensors)
      fail(ErrorCode::kRefused, input_.name(), "{} {}, above the limit of {}", count, what,
           kMostTensors);
  }

  void keep(std::uint64_t bytes) {
    kept_ += bytes;
    if (kept_ > kMetadataBudget)
      fail(ErrorCode::kRefused, input_.name(), "metadata of more than {} bytes", kMetadataBudget);
  }

  std::string read_string() {
    const auto length = input_.number<std::uint64_t>("string length");
    if (length <= input_.remaining()) keep(length);
    return input_.text(length, "string");
  }

  std::string read_name(std::string_view what) {
    const std::uint64_t at = input_.position();
    const auto length = input_.number<std::uint64_t>(what);
    if (length == 0 || length > kLongestKey)
      input_.fail_at(at, "{} must have 1 to {} bytes but has {}", what, kLongestKey, length);
    keep(length);
    return input_.text(length, what);
  }

  GgufType read_type() {
    const std::uint64_t at = input_.position();
    const auto type = input_.number<std::uint32_t>("type");
    if (type >= kGgufTypes) input_.fail_at(at, "type must be below {} but is {}", kGgufTypes, type);
    return GgufType{type};
  }

  bool read_bool() {
    const std::uint64_t at = input_.position();
    const auto byte = input_.number<std::uint8_t>("bool");
    if (byte > 1) input_.fail_at(at, "bool must be 0 or 1 but is {}", byte);
    return byte == 1;
  }

  template <typename Field, typename Wide>
  GgufScalar scalar() {
    return static_cast<Wide>(input_.number<Field>("value"));
  }

  GgufScalar read_scalar(GgufType type) {
    switch (type) {
      case GgufType::kU8:
        return scalar<std::uint8_t, std::uint64_t>();
      case GgufType::kI8:
        return scalar<std::int8_t, std::int64_t>();
      case GgufType::kU16:
        return scalar<std::uint16_t, std::uint64_t>();
      case GgufType::kI16:
        return scalar<std::int16_t, std::int64_t>();
      case GgufType::kU32:
        return scalar<std::uint32_t, std::uint64_t>();
      case GgufType::kI32:
        return scalar<std::int32_t, std::int64_t>();
      case GgufType::kF32:
        return scalar<float, double>();
      case GgufType::kU64:
        return scalar<std::uint64_t, std::uint64_t>();
      case GgufType::kI64:
        return scalar<std::int64_t, std::int64_t>();
      case GgufType::kF64:
        return scalar<double, double>();
      case GgufType::kBool:
        return read_bool();
      default:
        return read_string();
    }
  }

  GgufArray read_gguf_array() {
    const std::uint64_t at = input_.position();
    GgufArray array{.type = read_type(), .length = 0, .values = {}};
    if (array.type == GgufType::kArray) input_.fail_at(at, "arrays of arrays are not read");
    const std::uint64_t length_at = input_.position();
    array.length = input_.number<std::uint64_t>("array length");
    const std::uint64_t least = least_bytes(array.type);
    if (array.length > input_.remaining() / least)
      input_.fail_at(length_at, "array of {} elements does not fit the {} bytes that remain",
                     array.length, input_.remaining());
    if (array.length > kMostGgufElements) {
      skip_elements(array, least);
      return array;
    }
    keep(array.length * sizeof(GgufScalar));
    array.values.reserve(static_cast<std::size_t>(array.length));
    for (std::uint64_t i = 0; i < array.length; ++i)
      array.values.push_back(read_scalar(array.type));
    return array;
  }

  void skip_elements(const GgufArray& array, std::uint64_t bytes) {
    if (array.type == GgufType::kString) {
      for (std::uint64_t i = 0; i < array.length; ++i)
        input_.skip(input_.number<std::uint64_t>("string length"), "string");
    } else if (array.type == GgufType::kBool) {
      for (std::uint64_t i = 0; i < array.length; ++i) read_bool();
    } else {
      input_.skip(array.length * bytes, "array");
    }
  }

  void read_pair() {
    const std::uint64_t at = input_.position();
    std::string key = read_name("key");
    const std::uint64_t type_at = input_.position();
    const GgufType type = read_type();
    keep(sizeof(std::pair<std::string, GgufValue>));
    if (file_.metadata.contains(key)) input_.fail_at(at, "key '{}' is repeated", escaped(key));
    if (key == kAlignmentKey && type != GgufType::kU32)
      input_.fail_at(type_at, "{} must be a 32-bit unsigned integer", kAlignmentKey);
    GgufValue value;
    if (type == GgufType::kArray)
      value = read_gguf_array();
    else
      std::visit([&](const auto& scalar) { value = scalar; }, read_scalar(type));
    if (key == kAlignmentKey) set_alignment(std::get<std::uint64_t>(value), type_at + 4);
    file_.metadata.emplace(std::move(key), std::move(value));
  }

  void set_alignment(std::uint64_t alignment, std::uint64_t at) {
    if (!std::has_single_bit(alignment) || alignment > kMostAlignment)
      input_.fail_at(at, "{} must be a power of two up to {} but is {}", kAlignmentKey,
                     kMostAlignment, alignment);
    file_.alignment = alignment;
  }

  void read_tensor_info() {
    const std::uint64_t at = input_.position();
    GgufTensor tensor;
    tensor.name = read_name("tensor name");
    if (!names_.insert(tensor.name).second)
      input_.fail_at(at, "tensor '{}' is repeated", escaped(tensor.name));
    const auto dims = input_.number<std::uint32_t>("dimension count");
    if (dims == 0 || dims > kMostGgmlDims)
      input_.fail_at(at, "tensor '{}' must have 1 to {} dimensions but has {}",
                     escaped(tensor.name), kMostGgmlDims, dims);
    for (std::uint32_t i = 0; i < dims; ++i) {
      const Index n = input_.number<std::int64_t>("dimension");
      if (n <= 0)
        input_.fail_at(at, "tensor '{}': dimension must be positive but is {}",
                       escaped(tensor.name), n);
      tensor.shape.insert(tensor.shape.begin(), n);
    }
    set_size(tensor, at);
    tensor.offset = input_.number<std::uint64_t>("offset");
    file_.tensors.push_back(std::move(tensor));
  }

  void set_size(GgufTensor& tensor, std::uint64_t at) {
    const auto id = input_.number<std::uint32_t>("tensor type");
    const GgmlType* type = find_ggml_type(id);
    if (type == nullptr)
      input_.fail_at(at, "tensor '{}' has the unknown type {}", escaped(tensor.name), id);
    if (tensor.shape.back() % type->block_values != 0)
      input_.fail_at(at, "tensor '{}': {} values are no blocks of {} of {}", escaped(tensor.name),
                     tensor.shape.back(), type->block_values, type->name);
    std::vector<Index> blocks = tensor.shape;
    blocks.back() /= type->block_values;
    const std::optional<Index> bytes = packed_size(type->block_bytes, blocks);
    if (!bytes || !packed_size(1, tensor.shape))
      input_.fail_at(at, "tensor '{}': the size must fit 63 bits", escaped(tensor.name));
    tensor.type = type->name;
    tensor.bytes = static_cast<std::uint64_t>(*bytes);
  }

  // Turns offsets from the start of the data into offsets of the file.
  void place_tensors() {
    if (file_.tensors.empty()) return;
    const std::uint64_t begin =
        (input_.position() + file_.alignment - 1) / file_.alignment * file_.alignment;
    const std::uint64_t available = input_.size() - std::min(begin, input_.size());
    std::vector<const GgufTensor*> order;
    order.reserve(file_.tensors.size());
    for (GgufTensor& tensor : file_.tensors) {
      if (tensor.offset % file_.alignment != 0)
        input_.fail_at(begin, "tensor '{}': offset {} is no multiple of the alignment {}",
                       escaped(tensor.name), tensor.offset, file_.alignment);
      if (tensor.offset > available || tensor.bytes > available - tensor.offset)
        input_.fail_at(begin, "tensor '{}': {} bytes at {} end beyond the data of {} bytes",
                       escaped(tensor.name), tensor.bytes, tensor.offset, available);
      tensor.offset += begin;
      order.push_back(&tensor);
    }
    std::ranges::sort(order, {}, &GgufTensor::offset);
    for (std::size_t i = 1; i < order.size(); ++i)
      if (order[i]->offset < order[i - 1]->offset + order[i - 1]->bytes)
        input_.fail_at(order[i]->offset, "tensors '{}' and '{}' overlap",
                       escaped(order[i - 1]->name), escaped(order[i]->name));
  }

  BoundedReader& input_;
  GgufFile file_;
  std::set<std::string> names_;
  std::uint64_t kept_ = 0;
};

const GgufTensor& chosen_tensor(const GgufFile& file, std::string_view name) {
  const GgufTensor* found = file.find_tensor(name);
  if (found != nullptr) return *found;
  if (name.empty() && file.tensors.size() == 1) return file.tensors.front();
  std::vector<std::string> names;
  names.reserve(file.tensors.size());
  for (const GgufTensor& tensor : file.tensors) names.push_back(tensor.name);
  fail_tensor_name(file.name, name, names);
}

}  // namespace

const GgufTensor* GgufFile::find_tensor(std::string_view tensor) const {
  const auto found = std::ranges::find(tensors, tensor, &GgufTensor::name);
  return found == tensors.end() ? nullptr : &*found;
}

void GgufFile::fail_kind(const std::string& key) const {
  fail(ErrorCode::kMalformed, name, "key '{}' has another type than it must have", escaped(key));
}

GgufFile read_gguf(BoundedReader& input) { return GgufReader(input).read(); }

GgufFile read_gguf(const std::filesystem::path& path) {
  const InputFile file(path);
  BoundedReader input(file);
  GgufFile result = read_gguf(input);
  file.verify_unchanged();
  return result;
}

NpyArray read_gguf_tensor(BoundedReader& input, std::string_view name, const NpyOptions& options) {
  const GgufFile file = read_gguf(input);
  const GgufTensor& tensor = chosen_tensor(file, name);
  const std::string where = fmt::format("{}: tensor '{}'", file.name, escaped(tensor.name));
  input.seek(tensor.offset, "tensor");
  return read_values(input, real_type(tensor.type, where), tensor.shape, false, where, options);
}

NpyArray read_gguf_tensor(const std::filesystem::path& path, std::string_view name,
                          const NpyOptions& options) {
  const InputFile file(path);
  BoundedReader input(file);
  NpyArray array = read_gguf_tensor(input, name, options);
  file.verify_unchanged();
  return array;
}

}  // namespace sextant
