// SPDX-License-Identifier: Apache-2.0
#include "io/tensor_spans.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "io/npy.h"
#include "io/npy_grammar.h"
#include "io/safetensors_input.h"

namespace sextant {
namespace {

constexpr std::uint64_t kCopiedBytes = std::uint64_t{1} << 20;

std::uint64_t span_bytes(const TensorHeader& header) {
  Index bits = safetensors_bits(header.dtype).value_or(8);
  for (const Index n : header.shape) bits *= n;  // the reader has checked that it fits
  return static_cast<std::uint64_t>(bits) / 8;
}

// The reader has checked that the tensors follow one another and fill the file.
std::vector<TensorSpan> safetensors_spans(const std::filesystem::path& path) {
  std::vector<TensorSpan> spans;
  std::uint64_t total = 0;
  for (const TensorHeader& header : read_tensor_headers(path)) {
    spans.push_back({header, total, span_bytes(header)});
    total += spans.back().bytes;
  }
  const InputFile file{path};
  if (total > file.size()) fail(ErrorCode::kUnreadable, file.name(), "changed during reading");
  for (TensorSpan& span : spans) span.offset += file.size() - total;
  return spans;
}

// The header as read_npy() reads it: magic, version, length, text.
std::vector<TensorSpan> npy_span(const std::filesystem::path& path) {
  constexpr std::string_view kStart = "\x93NUMPY";
  const InputFile file{path};
  unsigned char start[12] = {};
  const auto head = std::as_writable_bytes(std::span(start));
  const std::uint64_t begin = file.size() < head.size() ? file.size() : head.size();
  file.read_at(0, head.first(begin));
  const bool first_version = start[6] == 1;
  const std::uint64_t text_at = first_version ? 10 : 12;
  if (begin < head.size() ||
      !std::equal(kStart.begin(), kStart.end(), start,
                  [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }) ||
      start[6] < 1 || start[6] > 3 || start[7] != 0)
    fail(ErrorCode::kMalformed, file.name(), "offset 0: no .npy file of version 1.0 to 3.0");
  std::uint64_t length = start[8] + (std::uint64_t{start[9]} << 8);
  if (!first_version) length += (std::uint64_t{start[10]} << 16) + (std::uint64_t{start[11]} << 24);
  if (length > 65536 || length > file.size() - text_at)
    fail(ErrorCode::kMalformed, file.name(), "offset 8: header of {} bytes in a file of {}", length,
         file.size());
  std::string text(length, '\0');
  file.read_at(text_at, std::as_writable_bytes(std::span(text)));
  const NpyHeader header = parse_npy_header(file.name(), text);
  require(header.storage.kind == 'f' && !header.storage.big_endian && !header.fortran_order,
          file.name(), "must be little-endian floating point in C order but is {}{}", header.descr,
          header.fortran_order ? " in Fortran order" : "");
  TensorSpan span;
  span.header = {"",
                 header.storage.bytes == 2   ? "F16"
                 : header.storage.bytes == 4 ? "F32"
                                             : "F64",
                 header.shape};
  auto bytes = static_cast<Index>(header.storage.bytes);
  for (const Index n : header.shape) {
    if (__builtin_mul_overflow(bytes, n, &bytes))
      fail(ErrorCode::kMalformed, file.name(), "shape {} must fit 63 bits",
           npy_shape_text(header.shape));
  }
  span.offset = text_at + length;
  span.bytes = static_cast<std::uint64_t>(bytes);
  if (span.bytes != file.size() - span.offset)
    fail(ErrorCode::kMalformed, file.name(), "offset {}: shape {} needs {} bytes but {} remain",
         span.offset, npy_shape_text(header.shape), span.bytes, file.size() - span.offset);
  return {span};
}

}  // namespace

std::vector<TensorSpan> tensor_spans(const std::filesystem::path& path) {
  if (path.extension() == ".safetensors") return safetensors_spans(path);
  require(path.extension() == ".npy", path_text(path), "the name must end in .npy or .safetensors");
  return npy_span(path);
}

void copy_file(const InputFile& input, AtomicFile& output) {
  std::vector<std::byte> block(std::min(kCopiedBytes, input.size()));
  for (std::uint64_t at = 0; at < input.size();) {
    const auto part =
        std::span(block).first(std::min<std::uint64_t>(block.size(), input.size() - at));
    input.read_at(at, part);
    output.write(std::span<const std::byte>(part));
    at += part.size();
  }
}

}  // namespace sextant
