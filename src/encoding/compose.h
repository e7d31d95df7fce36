// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sextant/encoding.h"

namespace sextant {

// Several encodings at once: rows, biases and offsets add up. Throws kUsage when two of them want
// the query/key site: their maps need not commute.
std::unique_ptr<Encoding> compose(std::vector<std::unique_ptr<Encoding>> parts);

}  // namespace sextant
