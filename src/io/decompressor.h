// SPDX-License-Identifier: Apache-2.0
// What the compressed forms share: limits on what comes out and messages with both offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/byte_stream.h"
#include "io/raw_input.h"

namespace sextant {

enum class Compression { kNone, kGzip, kZstd };

// By the first bytes of a file; four are enough.
Compression compression_of(std::string_view head);

class Decompressor : public ByteStream {
 public:
  Decompressor(std::unique_ptr<RawInput> raw, std::uint64_t most_bytes)
      : raw_(std::move(raw)), most_bytes_(most_bytes) {}

  std::size_t read(std::span<char> bytes) final;
  std::uint64_t consumed() const final { return raw_->consumed(); }
  std::uint64_t size() const final { return raw_->size(); }
  void verify_unchanged() const final { raw_->verify_unchanged(); }

 protected:
  // Writes some of the content to the front of `out` and returns how much; 0 only at the end.
  virtual std::size_t decode(std::span<char> out) = 0;

  RawInput& raw() { return *raw_; }
  std::uint64_t produced() const { return produced_; }
  std::uint64_t most_bytes() const { return most_bytes_; }

  [[noreturn]] void fail_truncated() const;
  [[noreturn]] void fail_corrupt(std::string_view what) const;
  [[noreturn]] void refuse(std::string_view what) const;

 private:
  void check_output(std::string_view made);

  std::unique_ptr<RawInput> raw_;
  std::uint64_t most_bytes_;
  std::uint64_t produced_ = 0;
  std::string head_;  // the first bytes of the content
};

std::unique_ptr<ByteStream> make_gz_stream(std::unique_ptr<RawInput> raw, std::uint64_t most_bytes);
std::unique_ptr<ByteStream> make_zst_stream(std::unique_ptr<RawInput> raw,
                                            std::uint64_t most_bytes);

}  // namespace sextant
