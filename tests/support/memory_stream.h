// SPDX-License-Identifier: Apache-2.0
// A byte stream from memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "io/byte_stream.h"

namespace sextant {

class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t count = std::min(out.size(), bytes_.size() - read_);
    std::memcpy(out.data(), bytes_.data() + read_, count);
    read_ += count;
    return count;
  }
  std::uint64_t consumed() const override { return read_; }
  std::uint64_t size() const override { return bytes_.size(); }
  void verify_unchanged() const override {}

 private:
  std::string bytes_;
  std::size_t read_ = 0;
};

}  // namespace sextant
