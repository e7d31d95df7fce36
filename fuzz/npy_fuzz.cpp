// SPDX-License-Identifier: Apache-2.0
#include "fuzzed.h"
#include "io/bounded_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sextant::swallow_errors(data, size, [](std::string_view bytes) {
    sextant::BoundedReader input(bytes, "input");
    sextant::expect_sound(
        sextant::read_npy(input, {.max_bytes = 1 << 20, .allow_nonfinite = true}));
  });
}
