// SPDX-License-Identifier: Apache-2.0
// The numbers of a table, whatever type they are stored in.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/rounding.h"
#include "sextant/table.h"

namespace sextant {

// The values of a table, widened.
inline Vector values(const Table& table) {
  const auto width = static_cast<std::size_t>(bytes_per_value(table.dtype));
  Vector result;
  result.reserve(table.bytes.size() / width);
  for (std::size_t at = 0; at < table.bytes.size(); at += width) {
    const auto read = [&]<typename T>(T value) {
      std::memcpy(&value, table.bytes.data() + at, sizeof(T));
      return value;
    };
    switch (table.dtype) {
      case Dtype::kF64:
        result.push_back(read(double{}));
        break;
      case Dtype::kF32:
        result.push_back(static_cast<double>(read(float{})));
        break;
      case Dtype::kF16:
        result.push_back(from_half(read(std::uint16_t{})));
        break;
      case Dtype::kBF16:
        result.push_back(from_bfloat16(read(std::uint16_t{})));
        break;
    }
  }
  return result;
}

}  // namespace sextant
