// SPDX-License-Identifier: Apache-2.0
// The format: magic, version, header length, a Python dict literal (npy_grammar.h), data.
#include "io/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/check.h"
#include "base/rounding.h"
#include "base/text.h"
#include "io/input_file.h"
#include "io/npy_grammar.h"

namespace sextant {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{64} * 1024;
constexpr std::size_t kChunkBytes = 1 << 20;

template <typename... Args>
[[noreturn]] void fail_malformed(const InputFile& file, std::uint64_t offset,
                                 fmt::format_string<Args...> text, Args&&... args) {
  fail(ErrorCode::kMalformed, fmt::format("{}: offset {}", file.name(), offset), text,
       std::forward<Args>(args)...);
}

std::string read_text(const InputFile& file, std::uint64_t offset, std::uint64_t size) {
  std::string text(std::min(size, file.size() - std::min(offset, file.size())), '\0');
  file.read_at(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

void check_magic(const InputFile& file, std::string_view start) {
  struct Foreign {
    std::string_view magic, name;
  };
  constexpr std::array<Foreign, 3> kForeign = {
      {{"PK", "a zip archive (.npz, .pt)"}, {"\x89HDF", "HDF5"}, {"\x80", "a pickle"}}};
  if (start.starts_with(kMagic)) return;
  for (const Foreign& foreign : kForeign)
    if (start.starts_with(foreign.magic))
      fail_malformed(file, 0, "magic is that of {}; format not accepted; convert to .npy",
                     foreign.name);
  fail_malformed(file, 0, "magic must be '{}' but got '{}'", escaped(kMagic),
                 escaped(start.substr(0, kMagic.size())));
}

std::uint64_t load(std::span<const std::byte> bytes, bool big_endian) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bits = bits << 8 | std::to_integer<std::uint64_t>(bytes[big_endian ? i : bytes.size() - 1 - i]);
  return bits;
}

NpyHeader read_header(const InputFile& file) {
  if (file.size() == 0) fail(ErrorCode::kMalformed, file.name(), "empty");
  const std::string start = read_text(file, 0, 12);
  check_magic(file, start);
  if (start.size() < 8) fail_malformed(file, start.size(), "truncated before the version");
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail_malformed(file, 6, "version must be 1.0, 2.0 or 3.0 but got {}.{}", major, minor);
  const std::size_t begin = major == 1 ? 10 : 12;
  if (start.size() < begin) fail_malformed(file, 8, "truncated in the header length");
  const std::uint64_t length = load(std::as_bytes(std::span(start)).subspan(8, begin - 8), false);
  if (length > kMaxHeaderBytes)
    fail_malformed(file, 8, "header length must be at most {} but got {}", kMaxHeaderBytes, length);
  if (length > file.size() - begin)
    fail_malformed(file, 8, "header length is {} but only {} bytes follow", length,
                   file.size() - begin);
  NpyHeader header = parse_npy_header(file.name(), read_text(file, begin, length));
  header.data_offset = begin + length;
  return header;
}

// The number of values, once the file is known to hold exactly their bytes.
std::uint64_t checked_count(const InputFile& file, const NpyHeader& header) {
  auto bytes = static_cast<Index>(header.storage.bytes);
  bool empty = false;
  for (const Index n : header.shape) {
    empty = empty || n == 0;
    if (n != 0 && __builtin_mul_overflow(bytes, n, &bytes))
      fail_malformed(file, header.data_offset, "shape {} of {} must fit 63 bits",
                     npy_shape_text(header.shape), header.descr);
  }
  if (empty) bytes = 0;
  const std::uint64_t remaining = file.size() - header.data_offset;
  if (static_cast<std::uint64_t>(bytes) != remaining)
    fail_malformed(file, header.data_offset, "shape {} of {} needs {} bytes but {} remain",
                   npy_shape_text(header.shape), header.descr, bytes, remaining);
  return remaining / header.storage.bytes;
}

double from_real(std::size_t bytes, std::uint64_t bits) {
  if (bytes == 8) return std::bit_cast<double>(bits);
  if (bytes == 4)
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return from_half(static_cast<std::uint16_t>(bits));
}

// Nothing when the integer has more significant bits than a double.
std::optional<double> widened(const NpyStorage& storage, std::span<const std::byte> bytes) {
  const std::uint64_t bits = load(bytes, storage.big_endian);
  if (storage.kind == 'f') return from_real(storage.bytes, bits);
  if (storage.kind == 'b') return bits == 0 ? 0.0 : 1.0;
  const bool negative = storage.kind == 'i' && (bits >> (8 * storage.bytes - 1)) != 0;
  const std::uint64_t range_mask = ~std::uint64_t{0} >> (64 - 8 * storage.bytes);
  const std::uint64_t magnitude = negative ? (~bits + 1) & range_mask : bits;
  if (magnitude != 0 && std::bit_width(magnitude) - std::countr_zero(magnitude) > 53)
    return std::nullopt;
  const auto value = static_cast<double>(magnitude);
  return negative ? -value : value;
}

// Row-major places in the order in which the file stores the values.
class Places {
 public:
  explicit Places(const NpyHeader& header)
      : shape_(header.shape),
        fortran_order_(header.fortran_order),
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
  const std::vector<Index>& shape_;
  bool fortran_order_;
  std::vector<Index> index_, stride_;
  Index place_ = 0;
};

std::vector<Index> index_of(std::size_t place, std::span<const Index> shape) {
  std::vector<Index> index(shape.size());
  auto rest = static_cast<Index>(place);
  for (std::size_t i = shape.size(); i-- > 0; rest /= shape[i]) index[i] = rest % shape[i];
  return index;
}

Vector read_values(const InputFile& file, const NpyHeader& header, std::uint64_t count) {
  const NpyStorage& storage = header.storage;
  Vector values(count);
  Places places(header);
  std::vector<std::byte> chunk(std::min<std::uint64_t>(kChunkBytes, count * storage.bytes));
  std::uint64_t offset = header.data_offset;
  while (offset < file.size()) {
    const auto part =
        std::span(chunk).first(std::min<std::uint64_t>(chunk.size(), file.size() - offset));
    file.read_at(offset, part);
    for (std::size_t at = 0; at < part.size(); at += storage.bytes) {
      const std::optional<double> value = widened(storage, part.subspan(at, storage.bytes));
      const std::size_t place = places.next();
      if (!value)
        fail(ErrorCode::kNumeric, fmt::format("{}: offset {}", file.name(), offset + at),
             "integer at {} must be exact in double precision",
             npy_shape_text(index_of(place, header.shape)));
      values[place] = *value;
    }
    offset += part.size();
  }
  return values;
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& path, const NpyOptions& options) {
  const InputFile file(path);
  const NpyHeader header = read_header(file);
  const std::uint64_t count = checked_count(file, header);
  if (count > options.max_bytes / sizeof(double))
    fail(ErrorCode::kRefused, file.name(),
         "needs {} doubles in memory, above the limit of {} bytes", count, options.max_bytes);
  NpyArray array{header.shape, read_values(file, header, count)};
  file.verify_unchanged();
  const auto bad = std::find_if_not(array.values.begin(), array.values.end(),
                                    [](double x) { return std::isfinite(x); });
  if (bad != array.values.end() && !options.allow_nonfinite)
    fail(
        ErrorCode::kNumeric, file.name(), "value at {} must be finite but is {}",
        npy_shape_text(index_of(static_cast<std::size_t>(bad - array.values.begin()), array.shape)),
        *bad);
  return array;
}

std::string npy_header(std::string_view descr, std::span<const Index> shape) {
  assert(shape.size() <= kMaxNpyDims);
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr,
                                 npy_shape_text(shape));
  const std::size_t unpadded = kPrefix + dict.size() + 1;
  dict.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dict += '\n';
  std::string header(kMagic);
  header +=
      {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

}  // namespace sextant
