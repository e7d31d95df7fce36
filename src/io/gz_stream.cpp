// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952) through zlib: any number of members, nothing else between and after them.
#include <zlib.h>

#include <limits>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "io/decompressor.h"

namespace sextant {
namespace {

// zlib checks headers, the bits that must be zero, CRC-32 and length itself.
constexpr int kGzipWindow = 15 + 16;

class GzStream final : public Decompressor {
 public:
  GzStream(std::unique_ptr<RawInput> raw, std::uint64_t most_bytes)
      : Decompressor(std::move(raw), most_bytes) {
    if (inflateInit2(&zlib_, kGzipWindow) != Z_OK) refuse("no memory for zlib");
  }
  ~GzStream() override { inflateEnd(&zlib_); }
  GzStream(const GzStream&) = delete;
  GzStream& operator=(const GzStream&) = delete;

 private:
  std::size_t decode(std::span<char> out) override {
    for (;;) {
      if (!in_member_ && !start_member()) return 0;
      const std::string_view in = raw().peek();
      // zlib takes the input as const in all but the type.
      zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
      zlib_.avail_in = static_cast<uInt>(in.size());
      zlib_.next_out = reinterpret_cast<Bytef*>(out.data());
      zlib_.avail_out = static_cast<uInt>(out.size());
      const int status = inflate(&zlib_, Z_NO_FLUSH);
      raw().consume(in.size() - zlib_.avail_in);
      const std::size_t made = out.size() - zlib_.avail_out;
      if (status == Z_STREAM_END) {
        in_member_ = false;
      } else if (status == Z_MEM_ERROR) {
        refuse("no memory for zlib");
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail_corrupt(description());
      } else if (in.empty() && made == 0) {
        fail_truncated();
      }
      if (made > 0) return made;
    }
  }

  bool start_member() {
    const std::string_view head = raw().peek(2);
    if (head.empty()) return false;
    if (compression_of(head.substr(0, 2)) != Compression::kGzip)
      fail_corrupt("trailing garbage; expected the end of the file or another gzip member");
    inflateReset(&zlib_);
    return in_member_ = true;
  }

  std::string_view description() const {
    const std::string_view message = zlib_.msg == nullptr ? "corrupt" : zlib_.msg;
    if (message == "incorrect data check") return "CRC-32 mismatch";
    return message == "incorrect length check" ? "length (ISIZE) mismatch" : message;
  }

  z_stream zlib_ = {};
  bool in_member_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> make_gz_stream(std::unique_ptr<RawInput> raw,
                                           std::uint64_t most_bytes) {
  return std::make_unique<GzStream>(std::move(raw), most_bytes);
}

}  // namespace sextant
