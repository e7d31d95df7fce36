// SPDX-License-Identifier: Apache-2.0
#include "io/gguf.h"

#include "fuzzed.h"
#include "io/bounded_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sextant::swallow_errors(data, size, [](std::string_view bytes) {
    sextant::BoundedReader input(bytes, "input");
    const sextant::GgufFile file = sextant::read_gguf(input);
    for (const sextant::GgufTensor& tensor : file.tensors) {
      if (tensor.offset > bytes.size() || tensor.bytes > bytes.size() - tensor.offset) std::abort();
      sextant::BoundedReader again(bytes, "input");
      sextant::expect_sound(sextant::read_gguf_tensor(
          again, tensor.name, {.max_bytes = 1 << 20, .allow_nonfinite = true}));
    }
  });
}
