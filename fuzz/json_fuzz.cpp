// SPDX-License-Identifier: Apache-2.0
// The strict parser and the finder of faults must agree on what is JSON.
#include "fuzzed.h"
#include "io/json_fault.h"
#include "io/json_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sextant::swallow_errors(data, size, [](std::string_view text) {
    const bool sound = !sextant::first_json_fault(text);
    sextant::parse_json(text, "input");
    if (!sound) std::abort();
  });
}
