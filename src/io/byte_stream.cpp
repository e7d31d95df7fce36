// SPDX-License-Identifier: Apache-2.0
// Which stream a file gets, and the limits that all streams obey.
#include "io/byte_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "io/decompressor.h"

namespace sextant {
namespace {

constexpr std::size_t kMagicBytes = 4;
constexpr std::size_t kStep = std::size_t{1} << 20;  // between two looks at the limits
constexpr std::uint64_t kFree = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostRatio = 1000;

[[noreturn]] void fail_most_bytes(std::string_view name, std::uint64_t most_bytes) {
  fail(ErrorCode::kRefused, name, "more than {} bytes of content, the limit of one file",
       most_bytes);
}

class PlainStream final : public ByteStream {
 public:
  PlainStream(std::unique_ptr<RawInput> raw, std::uint64_t most_bytes)
      : raw_(std::move(raw)), most_bytes_(most_bytes) {
    if (raw_->size() > most_bytes_) fail_most_bytes(raw_->name(), most_bytes_);
  }

  std::size_t read(std::span<char> bytes) override {
    const std::size_t count = raw_->read(bytes);
    if (raw_->consumed() > most_bytes_) fail_most_bytes(raw_->name(), most_bytes_);
    return count;
  }
  std::uint64_t consumed() const override { return raw_->consumed(); }
  std::uint64_t size() const override { return raw_->size(); }
  void verify_unchanged() const override { raw_->verify_unchanged(); }

 private:
  std::unique_ptr<RawInput> raw_;
  std::uint64_t most_bytes_;
};

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return "gzip";
    case Compression::kZstd:
      return "zstd";
    case Compression::kNone:
      break;
  }
  return "neither gzip nor zstd";
}

Compression compression_by_name(std::string_view extension) {
  if (extension == ".gz") return Compression::kGzip;
  return extension == ".zst" ? Compression::kZstd : Compression::kNone;
}

// A name without an extension promises nothing.
void check_name(const std::filesystem::path& path, const RawInput& raw, Compression found,
                std::string_view head) {
  const std::string extension = lower_ascii(path.extension().native());
  const Compression named = compression_by_name(extension);
  if (path == "-" || extension.empty() || named == found) return;
  std::string bytes;
  for (const char c : head.substr(0, kMagicBytes))
    bytes += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  fail(ErrorCode::kMalformed, raw.name(),
       "offset 0: the name ends in {} but the first bytes are{}: {}", escaped(extension), bytes,
       name_of(found));
}

Compression checked_compression(const std::filesystem::path& path, RawInput& raw) {
  const std::string_view head = raw.peek(kMagicBytes);
  const Compression found = compression_of(head);
  if (!head.empty()) check_name(path, raw, found, head);
  return found;
}

}  // namespace

Compression compression_of(std::string_view head) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(head[i]); };
  if (head.size() >= 2 && byte(0) == 0x1f && byte(1) == 0x8b) return Compression::kGzip;
  if (head.size() < kMagicBytes) return Compression::kNone;
  const std::uint32_t word = std::uint32_t{byte(0)} | std::uint32_t{byte(1)} << 8 |
                             std::uint32_t{byte(2)} << 16 | std::uint32_t{byte(3)} << 24;
  const bool frame = word == 0xFD2FB528u, skippable = (word & ~0xFu) == 0x184D2A50u;
  return frame || skippable ? Compression::kZstd : Compression::kNone;
}

std::size_t Decompressor::read(std::span<char> bytes) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const std::span<char> out = bytes.subspan(filled, std::min(kStep, bytes.size() - filled));
    const std::size_t made = decode(out);
    if (made == 0) break;
    check_output({out.data(), made});
    filled += made;
  }
  return filled;
}

void Decompressor::check_output(std::string_view made) {
  produced_ += made.size();
  if (produced_ > most_bytes_) fail_most_bytes(raw_->name(), most_bytes_);
  if (produced_ > kFree && produced_ / kMostRatio > raw_->consumed())
    refuse(fmt::format("expands more than {} times", kMostRatio));
  if (head_.size() >= kMagicBytes) return;
  head_ += made.substr(0, kMagicBytes - head_.size());
  const Compression inner = compression_of(head_);
  if (inner != Compression::kNone)
    fail_corrupt(
        fmt::format("the content is {} again; expected to decompress once", name_of(inner)));
}

void Decompressor::fail_truncated() const {
  fail(ErrorCode::kMalformed, raw_->name(), "truncated at compressed offset {}, decompressed {}",
       raw_->consumed(), produced_);
}

void Decompressor::fail_corrupt(std::string_view what) const {
  fail(ErrorCode::kMalformed, raw_->name(), "compressed offset {}, decompressed {}: {}",
       raw_->consumed(), produced_, what);
}

void Decompressor::refuse(std::string_view what) const {
  fail(ErrorCode::kRefused, raw_->name(), "compressed offset {}, decompressed {}: {}",
       raw_->consumed(), produced_, what);
}

std::unique_ptr<ByteStream> open_byte_stream(const std::filesystem::path& path,
                                             std::uint64_t most_bytes) {
  auto raw = std::make_unique<RawInput>(path);
  switch (checked_compression(path, *raw)) {
    case Compression::kGzip:
      return make_gz_stream(std::move(raw), most_bytes);
    case Compression::kZstd:
      return make_zst_stream(std::move(raw), most_bytes);
    case Compression::kNone:
      break;
  }
  return std::make_unique<PlainStream>(std::move(raw), most_bytes);
}

bool is_plain(const std::filesystem::path& path) {
  RawInput raw(path);
  return checked_compression(path, raw) == Compression::kNone;
}

void refuse_content(const std::filesystem::path& path, std::uint64_t most_bytes) {
  fail_most_bytes(path_text(path), most_bytes);
}

}  // namespace sextant
