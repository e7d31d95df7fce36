// SPDX-License-Identifier: Apache-2.0
// Zstandard (RFC 8878) through libzstd. Frame headers are read here too: libzstd bounds neither
// skippable frames nor, in every mode, the window.
#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "io/decompressor.h"

namespace sextant {
namespace {

constexpr std::uint64_t kMostWindow = std::uint64_t{1} << 27;
constexpr std::uint64_t kMostSkipped = std::uint64_t{1} << 24;
constexpr std::size_t kLongestFrameHeader = 18;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct FrameHeader {
  std::uint64_t window = 0;
  std::uint64_t dictionary = 0;  // 0: none
  std::optional<std::uint64_t> content;
};

// Section 3.1.1.1 of RFC 8878; nothing when `bytes` ends before the header.
std::optional<FrameHeader> parse_header(std::string_view bytes) {
  if (bytes.size() < 5) return std::nullopt;
  const auto descriptor = static_cast<unsigned char>(bytes[4]);
  const bool single_segment = (descriptor & 0x20) != 0;
  constexpr std::array<std::size_t, 4> kDictionarySizes = {0, 1, 2, 4};
  const std::array<std::size_t, 4> content_sizes = {single_segment ? 1u : 0u, 2, 4, 8};
  const std::size_t dictionary_size = kDictionarySizes[descriptor & 3];
  const std::size_t content_size = content_sizes[descriptor >> 6];
  const std::size_t window_size = single_segment ? 0 : 1;
  if (bytes.size() < 5 + window_size + dictionary_size + content_size) return std::nullopt;

  FrameHeader header;
  bytes.remove_prefix(5);
  if (!single_segment) {
    const auto window = static_cast<unsigned char>(bytes[0]);
    const std::uint64_t base = std::uint64_t{1} << (10 + (window >> 3));
    header.window = base + base / 8 * (window & 7);
    bytes.remove_prefix(1);
  }
  header.dictionary = little_endian(bytes.substr(0, dictionary_size));
  if (content_size > 0) {
    header.content = little_endian(bytes.substr(dictionary_size, content_size));
    if (content_size == 2) *header.content += 256;
  }
  if (single_segment) header.window = *header.content;
  return header;
}

class ZstStream final : public Decompressor {
 public:
  ZstStream(std::unique_ptr<RawInput> raw, std::uint64_t most_bytes)
      : Decompressor(std::move(raw), most_bytes), context_(ZSTD_createDCtx()) {
    if (context_ == nullptr) refuse("no memory for zstd");
  }
  ~ZstStream() override { ZSTD_freeDCtx(context_); }
  ZstStream(const ZstStream&) = delete;
  ZstStream& operator=(const ZstStream&) = delete;

 private:
  std::size_t decode(std::span<char> out) override {
    for (;;) {
      if (!in_frame_ && !start_frame()) return 0;
      const std::string_view in = raw().peek();
      ZSTD_inBuffer source = {in.data(), in.size(), 0};
      ZSTD_outBuffer target = {out.data(), out.size(), 0};
      const std::size_t status = ZSTD_decompressStream(context_, &target, &source);
      raw().consume(source.pos);
      if (ZSTD_isError(status) != 0) fail_frame(status);
      if (status == 0) {
        in_frame_ = false;
      } else if (in.empty() && target.pos == 0) {
        fail_truncated();
      }
      if (target.pos > 0) return target.pos;
    }
  }

  // Leaves out skippable frames; false at the end of the file.
  bool start_frame() {
    for (;;) {
      const std::string_view head = raw().peek(kLongestFrameHeader);
      if (head.empty()) return false;
      if (compression_of(head) != Compression::kZstd)
        fail_corrupt("trailing garbage; expected the end of the file or another zstd frame");
      if (head[0] == '\x28') break;
      if (head.size() < 8) fail_cut_header(head);
      skip_frame(little_endian(head.substr(4, 4)));
    }
    const std::string_view head = raw().peek(kLongestFrameHeader);
    const std::optional<FrameHeader> header = parse_header(head);
    if (!header) fail_cut_header(head);
    if (header->dictionary != 0)
      fail_corrupt(
          fmt::format("needs the unknown dictionary {}; expected none", header->dictionary));
    if (header->window > kMostWindow) {
      refuse(fmt::format("needs a window of {} bytes, the limit is {}; compress with --long=27",
                         header->window, kMostWindow));
    }
    if (header->content.value_or(0) > most_bytes())
      refuse(fmt::format("declares {} bytes of content, the limit of one file is {}",
                         *header->content, most_bytes()));
    ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
    content_ = header->content;
    return in_frame_ = true;
  }

  [[noreturn]] void fail_cut_header(std::string_view head) {
    raw().consume(head.size());
    fail_truncated();
  }

  void skip_frame(std::uint64_t size) {
    skipped_ += size;
    if (skipped_ > kMostSkipped)
      refuse(fmt::format("{} bytes in skippable frames, the limit is {}", skipped_, kMostSkipped));
    for (std::uint64_t left = size + 8; left > 0;) {
      const std::size_t held = raw().peek().size();
      if (held == 0) fail_truncated();
      const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(left, held));
      raw().consume(step);
      left -= step;
    }
  }

  [[noreturn]] void fail_frame(std::size_t status) const {
    if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation) refuse("no memory for zstd");
    if (!content_) fail_corrupt(ZSTD_getErrorName(status));
    fail_corrupt(fmt::format("{} (the frame declares {} bytes of content)",
                             ZSTD_getErrorName(status), *content_));
  }

  ZSTD_DCtx* context_;
  bool in_frame_ = false;
  std::optional<std::uint64_t> content_;  // as the frame declares
  std::uint64_t skipped_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> make_zst_stream(std::unique_ptr<RawInput> raw,
                                            std::uint64_t most_bytes) {
  return std::make_unique<ZstStream>(std::move(raw), most_bytes);
}

}  // namespace sextant
