// SPDX-License-Identifier: Apache-2.0
// The input is sealed with the trailer that it would have: random bytes never have the right
// checksum.
#include <vector>

#include "corpus/checked_fields.h"
#include "corpus/counts_file.h"
#include "fuzzed.h"

namespace sextant {
namespace {

std::vector<std::byte> sealed(std::string_view bytes) {
  std::vector<std::byte> result;
  FieldWriter out([&result](std::span<const std::byte> chunk) {
    result.insert(result.end(), chunk.begin(), chunk.end());
  });
  out.bytes(std::as_bytes(std::span(bytes)));
  out.finish();
  return result;
}

// What is read is written back as it was, and can be added to itself as another shard.
void read_and_merge(std::string_view input) {
  const std::vector<std::byte> bytes = sealed(input);
  CountsFile file = counts_of_bytes(bytes, "input");
  if (counts_bytes(file) != bytes) std::abort();
  CountsFile other = file;
  other.part.present.clear();
  merge(file, std::move(other), "other");
  if (counts_bytes(counts_of_bytes(counts_bytes(file), "sum")) != counts_bytes(file)) std::abort();
  check_complete(file, "sum");
}

}  // namespace
}  // namespace sextant

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sextant::swallow_errors(data, size, sextant::read_and_merge);
}
