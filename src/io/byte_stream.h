// SPDX-License-Identifier: Apache-2.0
// Bytes of a file or of stdin, decompressed on the way: plain, .gz (zlib) and .zst (zstd).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace sextant {

// Reads forward once. Every fault of the compressed form is kMalformed with both offsets; a bomb
// (ratio above 1000 after the first MiB, or more than `most_bytes`) is kRefused. At the end the
// file must still be the one that was opened (kUnreadable otherwise).
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills as much of `bytes` as there is; fewer only at the end, where it returns 0.
  virtual std::size_t read(std::span<char> bytes) = 0;
  // Compressed bytes consumed so far and in all (0: unknown, stdin). For progress.
  virtual std::uint64_t consumed() const = 0;
  virtual std::uint64_t size() const = 0;
  // For one who stops before the end: the check that the end makes by itself.
  virtual void verify_unchanged() const = 0;
  // Where in the file it begins, and how many lines lie before (which reads them).
  virtual std::uint64_t offset() const { return 0; }
  virtual std::uint64_t lines_before() const { return 0; }
};

// "-" is stdin. The compression is told by the first bytes; an extension that disagrees is
// kMalformed. A folder, a device or a pipe by name is kUnreadable.
std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path,
                                             std::uint64_t most_bytes);

// The file is not compressed. Throws as open_byte_stream().
bool is_plain(const std::filesystem::path& path);

// Throws kRefused: the content has more bytes than that.
[[noreturn]] void refuse_content(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace sextant
