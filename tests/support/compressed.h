// SPDX-License-Identifier: Apache-2.0
// Compressed bytes, made by the libraries themselves.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace sextant {

// One gzip member. `header` adds what it sets: an extra field, a name.
inline std::string gzip(std::string_view text, gz_header* header = nullptr) {
  z_stream stream = {};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  if (header != nullptr) deflateSetHeader(&stream, header);
  std::string result(deflateBound(&stream, static_cast<uLong>(text.size())) + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("deflate");
  return result;
}

struct ZstdSettings {
  bool checksum = true, declare_size = true;
  int window_log = 0;  // 0: by the size
  std::string_view dictionary = {};
};

// One zstd frame.
inline std::string zstd(std::string_view text, const ZstdSettings& settings = {}) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, settings.checksum ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, settings.declare_size ? 1 : 0);
  if (settings.window_log > 0)
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, settings.window_log);
  if (!settings.dictionary.empty())
    ZSTD_CCtx_loadDictionary(context, settings.dictionary.data(), settings.dictionary.size());
  std::string result(ZSTD_compressBound(text.size()), '\0');
  ZSTD_inBuffer in = {text.data(), text.size(), 0};
  ZSTD_outBuffer out = {result.data(), result.size(), 0};
  // Without a known size the first call may not already be the last.
  if (!settings.declare_size) ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
  const std::size_t left = ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  if (left != 0) throw std::runtime_error("ZSTD_compressStream2");
  result.resize(out.pos);
  return result;
}

inline std::string little_endian_32(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

inline std::string skippable_frame(std::string_view content) {
  return little_endian_32(0x184D2A53) +
         little_endian_32(static_cast<std::uint32_t>(content.size())) + std::string(content);
}

}  // namespace sextant
