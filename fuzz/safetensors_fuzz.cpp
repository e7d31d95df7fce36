// SPDX-License-Identifier: Apache-2.0
// Each input twice: as a file, and as a header whose length is right, since a length that no longer
// fits would hide the rest from most mutations.
#include "fuzzed.h"
#include "io/bounded_reader.h"
#include "io/safetensors_input.h"

namespace {

using namespace sextant;

void read_file(std::string_view bytes) {
  BoundedReader input(bytes, "input");
  for (const TensorHeader& tensor : read_tensor_headers(input)) {
    if (tensor.dtype != "F64" && tensor.dtype != "F32" && tensor.dtype != "BF16") continue;
    BoundedReader again(bytes, "input");
    expect_sound(read_tensor(again, tensor.name, {.max_bytes = 1 << 20, .allow_nonfinite = true}));
  }
}

void read_header(std::string_view json) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8)
    bytes += static_cast<char>(std::uint64_t{json.size()} >> shift & 0xff);
  read_file(bytes.append(json));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  swallow_errors(data, size, read_file);
  return swallow_errors(data, size, read_header);
}
