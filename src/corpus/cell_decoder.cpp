// SPDX-License-Identifier: Apache-2.0
#include "corpus/cell_decoder.h"

#include "base/check.h"

namespace sextant {

void fail_packed(const char* what) { fail(ErrorCode::kMalformed, "packed counts", "{}", what); }

std::uint64_t checked_varint(std::span<const std::byte> packed, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at == packed.size()) fail_packed("a number is cut off");
    const auto byte = static_cast<std::uint64_t>(packed[at++]);
    const std::uint64_t digit = byte & 127;
    if (digit << shift >> shift != digit) fail_packed("a number has more than 64 bits");
    value |= digit << shift;
    if (byte < 128) {
      if (byte == 0 && shift > 0) fail_packed("a number is longer than it need be");
      return value;
    }
  }
  fail_packed("a number has more than 64 bits");
}

}  // namespace sextant
