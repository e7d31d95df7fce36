// SPDX-License-Identifier: Apache-2.0
// Handles of the C interface that free themselves.
#pragma once

#include <memory>

#include "sextant/sextant_c.h"

namespace sextant {

struct Freed {
  void operator()(sextant_rotary* handle) const { sextant_rotary_free(handle); }
  void operator()(sextant_turns* handle) const { sextant_turns_free(handle); }
  void operator()(sextant_bias* handle) const { sextant_bias_free(handle); }
  void operator()(sextant_table* handle) const { sextant_table_free(handle); }
};
template <typename Handle>
using Owned = std::unique_ptr<Handle, Freed>;

}  // namespace sextant
