// SPDX-License-Identifier: Apache-2.0
// One loop from bytes to doubles for all formats, a chunk at a time.
#include "io/stored_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/rounding.h"
#include "io/npy_grammar.h"

namespace sextant {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

std::uint64_t joined_bits(std::span<const std::byte> bytes, bool big_endian) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bits = bits << 8 | std::to_integer<std::uint64_t>(bytes[big_endian ? i : bytes.size() - 1 - i]);
  return bits;
}

double from_real(std::size_t bytes, std::uint64_t bits) {
  if (bytes == 8) return std::bit_cast<double>(bits);
  if (bytes == 4)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return from_half(static_cast<std::uint16_t>(bits));
}

// Nothing when the integer has more significant bits than a double.
std::optional<double> as_double(const StoredType& type, std::span<const std::byte> bytes) {
  const std::uint64_t bits = joined_bits(bytes, type.big_endian);
  if (type.kind == 'f') return from_real(type.bytes, bits);
  if (type.kind == 'g') return from_bfloat16(static_cast<std::uint16_t>(bits));
  if (type.kind == 'b') return bits == 0 ? 0.0 : 1.0;
  const bool negative = type.kind == 'i' && (bits >> (8 * type.bytes - 1)) != 0;
  const std::uint64_t range_mask = ~std::uint64_t{0} >> (64 - 8 * type.bytes);
  const std::uint64_t magnitude = negative ? (~bits + 1) & range_mask : bits;
  if (magnitude != 0 && std::bit_width(magnitude) - std::countr_zero(magnitude) > 53)
    return std::nullopt;
  const auto value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

// Row-major places in the order in which the file stores the values.
class Places {
 public:
  Places(std::span<const Index> shape, bool fortran_order)
      : shape_(shape),
        fortran_order_(fortran_order),
        index_(shape_.size()),
        stride_(shape_.size(), 1) {
    for (std::size_t i = shape_.size(); i-- > 1;) stride_[i - 1] = stride_[i] * shape_[i];
  }

  std::size_t next() {
    const auto place = static_cast<std::size_t>(place_);
    if (!fortran_order_) {
      ++place_;
      return place;
    }
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      place_ += stride_[i];
      if (++index_[i] < shape_[i]) break;
      place_ -= stride_[i] * shape_[i];
      index_[i] = 0;
    }
    return place;
  }

 private:
  std::span<const Index> shape_;
  bool fortran_order_;
  std::vector<Index> index_, stride_;
  Index place_ = 0;
};

std::string index_text(std::size_t place, std::span<const Index> shape) {
  std::vector<Index> index(shape.size());
  auto rest = static_cast<Index>(place);
  for (std::size_t i = shape.size(); i-- > 0; rest /= shape[i]) index[i] = rest % shape[i];
  return npy_shape_text(index);
}

void fill_values(BoundedReader& input, const StoredType& type, bool fortran_order,
                 std::string_view where, NpyArray& array) {
  const std::uint64_t total = array.values.size() * type.bytes;
  Places places(array.shape, fortran_order);
  std::vector<std::byte> chunk(std::min<std::uint64_t>(kChunkBytes, total));
  for (std::uint64_t done = 0; done < total;) {
    const auto part = std::span(chunk).first(std::min<std::uint64_t>(chunk.size(), total - done));
    input.read(part, "array");
    for (std::size_t at = 0; at < part.size(); at += type.bytes) {
      const std::optional<double> value = as_double(type, part.subspan(at, type.bytes));
      const std::size_t place = places.next();
      if (!value)
        fail(ErrorCode::kNumeric, where, "integer at {} must be exact in double precision",
             index_text(place, array.shape));
      array.values[place] = *value;
    }
    done += part.size();
  }
}

}  // namespace

StoredType real_type(std::string_view name, std::string_view where) {
  if (name == "F64") return {.kind = 'f', .bytes = 8};
  if (name == "F32") return {.kind = 'f', .bytes = 4};
  if (name == "F16") return {.kind = 'f', .bytes = 2};
  if (name == "BF16") return {.kind = 'g', .bytes = 2};
  fail(ErrorCode::kMalformed, where, "has type {}; F64, F32, F16 or BF16 are read", name);
}

std::optional<Index> packed_size(Index unit, std::span<const Index> shape) {
  bool empty = false;
  for (const Index n : shape) {
    empty = empty || n == 0;
    if (n != 0 && __builtin_mul_overflow(unit, n, &unit)) return std::nullopt;
  }
  return empty ? 0 : unit;
}

NpyArray read_values(BoundedReader& input, const StoredType& type, std::vector<Index> shape,
                     bool fortran_order, std::string_view where, const NpyOptions& options) {
  const std::optional<Index> bytes = packed_size(static_cast<Index>(type.bytes), shape);
  if (!bytes || static_cast<std::uint64_t>(*bytes) > input.remaining())
    input.fail_at(input.position(), "shape {} needs more than the {} bytes that remain",
                  npy_shape_text(shape), input.remaining());
  const std::uint64_t count = static_cast<std::uint64_t>(*bytes) / type.bytes;
  if (count > options.max_bytes / sizeof(double))
    fail(ErrorCode::kRefused, where, "needs {} doubles in memory, above the limit of {} bytes",
         count, options.max_bytes);
  NpyArray array{.shape = std::move(shape), .values = Vector(count)};
  fill_values(input, type, fortran_order, where, array);
  const auto bad = std::ranges::find_if(array.values, [](double x) { return !std::isfinite(x); });
  if (bad != array.values.end() && !options.allow_nonfinite)
    fail(ErrorCode::kNumeric, where, "value at {} must be finite but is {}",
         index_text(static_cast<std::size_t>(bad - array.values.begin()), array.shape), *bad);
  return array;
}

}  // namespace sextant
