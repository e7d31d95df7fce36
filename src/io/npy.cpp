// SPDX-License-Identifier: Apache-2.0
// The format: magic, version, header length, a Python dict literal (npy_grammar.h), data.
#include "io/npy.h"

#include <cassert>
#include <cstdint>
#include <optional>

#include "base/check.h"
#include "base/text.h"
#include "io/foreign_format.h"
#include "io/npy_grammar.h"
#include "io/stored_values.h"

namespace sextant {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint32_t kMaxHeaderBytes = 64 * 1024;

void check_magic(BoundedReader& input) {
  if (input.size() == 0) fail(ErrorCode::kMalformed, input.name(), "empty");
  const std::string start = input.start(kMagic.size());
  if (start == kMagic) {
    input.skip(kMagic.size(), "magic");
    return;
  }
  refuse_foreign_format(input);
  input.fail_at(0, "the magic of .npy must be '{}' but got '{}'", escaped(kMagic), escaped(start));
}

NpyHeader read_header(BoundedReader& input) {
  check_magic(input);
  const std::uint64_t version_at = input.position();
  const int major = input.number<std::uint8_t>("version");
  const int minor = input.number<std::uint8_t>("version");
  if (major < 1 || major > 3 || minor != 0)
    input.fail_at(version_at, "version must be 1.0, 2.0 or 3.0 but got {}.{}", major, minor);
  const std::uint64_t length_at = input.position();
  const std::uint32_t length = major == 1 ? input.number<std::uint16_t>("header length")
                                          : input.number<std::uint32_t>("header length");
  if (length > kMaxHeaderBytes)
    input.fail_at(length_at, "header length must be at most {} but got {}", kMaxHeaderBytes,
                  length);
  return parse_npy_header(input.name(), input.text(length, "header"));
}

// The file must hold exactly the values.
void check_data(const BoundedReader& input, const NpyHeader& header) {
  const std::optional<Index> bytes =
      packed_size(static_cast<Index>(header.storage.bytes), header.shape);
  if (!bytes)
    input.fail_at(input.position(), "shape {} of {} must fit 63 bits", npy_shape_text(header.shape),
                  header.descr);
  if (static_cast<std::uint64_t>(*bytes) != input.remaining())
    input.fail_at(input.position(), "shape {} of {} needs {} bytes but {} remain",
                  npy_shape_text(header.shape), header.descr, *bytes, input.remaining());
}

}  // namespace

NpyArray read_npy(BoundedReader& input, const NpyOptions& options) {
  const NpyHeader header = read_header(input);
  check_data(input, header);
  return read_values(input, header.storage, header.shape, header.fortran_order, input.name(),
                     options);
}

NpyArray read_npy(const std::filesystem::path& path, const NpyOptions& options) {
  const InputFile file(path);
  BoundedReader input(file);
  NpyArray array = read_npy(input, options);
  file.verify_unchanged();
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
