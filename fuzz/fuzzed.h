// SPDX-License-Identifier: Apache-2.0
// What every target does: read the bytes and accept a documented Error; anything else is a crash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "io/npy.h"
#include "sextant/error.h"

namespace sextant {

template <typename Read>
int swallow_errors(const std::uint8_t* data, std::size_t size, Read&& read) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInternal) std::abort();
  }
  return 0;
}

// A parse that succeeds has the values of its shape.
inline void expect_sound(const NpyArray& array) {
  Index count = 1;
  for (const Index n : array.shape) count *= n;
  if (static_cast<std::size_t>(count) != array.values.size()) std::abort();
}

}  // namespace sextant
