// SPDX-License-Identifier: Apache-2.0
// Fields one after the other, little-endian, sizes before contents, then a trailer of the length
// and a checksum of everything before. Both directions hold one chunk at a time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

class FieldWriter {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;
  explicit FieldWriter(Sink sink);

  void bytes(std::span<const std::byte> bytes);
  template <std::integral Value>
  void number(Value value) {
    bytes(std::as_bytes(std::span(&value, 1)));
  }
  void text(std::string_view text);
  void texts(std::span<const std::string> texts);
  // The trailer; nothing may follow.
  void finish();

 private:
  void empty_chunk();

  Sink sink_;
  std::vector<std::byte> chunk_;
  std::uint64_t length_ = 0, checksum_ = 0;
};

// Every fault is kMalformed "NAME: offset N: ...". No size is believed before it is compared with
// the bytes that are left.
class FieldReader {
 public:
  // source(offset, bytes) fills the bytes, of `size` in all.
  using Source = std::function<void(std::uint64_t, std::span<std::byte>)>;
  // Throws when the first bytes are not `magic` or the length is not the one in the trailer.
  FieldReader(Source source, std::uint64_t size, std::string name, std::string_view magic);

  [[noreturn]] void fail_here(std::string_view what) const;
  std::vector<std::byte> bytes(std::uint64_t size);
  template <std::integral Value>
  Value number() {
    Value value;
    take(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  // A number from `least` to `most`.
  std::int64_t within(std::int64_t least, std::int64_t most);
  std::int64_t amount() { return within(0, std::numeric_limits<std::int64_t>::max()); }
  bool flag() { return within(0, 1) == 1; }
  std::string text();
  std::vector<std::string> texts();
  // How many things of at least `each` bytes follow.
  std::size_t size(std::size_t each);
  std::uint64_t left() const { return end_ - at_; }
  std::uint64_t at() const { return at_; }
  void take(std::span<std::byte> bytes);  // fills them
  // Throws unless this is the end and the checksum fits.
  void finish();

 private:
  Source source_;
  std::string name_;
  std::uint64_t at_ = 0, end_ = 0;  // end_: of the fields
  std::vector<std::byte> chunk_;
  std::size_t used_ = 0;  // of chunk_
  std::uint64_t checksum_ = 0, expected_ = 0;
};

}  // namespace sextant
