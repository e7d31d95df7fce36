// SPDX-License-Identifier: Apache-2.0
// A config.json of any bytes is described or refused.
#include "fuzzed.h"
#include "io/json_input.h"
#include "model/model_files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return sextant::swallow_errors(data, size, [](std::string_view text) {
    const sextant::JsonFile config{"input", sextant::parse_json(text, "input")};
    if (sextant::describe_config(config).groups.empty()) std::abort();
  });
}
