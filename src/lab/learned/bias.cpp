// SPDX-License-Identifier: Apache-2.0
// One number per clipped lag and head.
#include "lab/clipped_table.h"

namespace sextant {
namespace {

class Bias final : public ClippedTable {
 public:
  explicit Bias(const LearnedStart& start) : ClippedTable(start, start.shape.heads, 1.0) {}

  SiteTensors sites(Index n) override { return {.bias = by_pair(by_lag(n).t(), n)}; }
};

}  // namespace

void register_bias(LearnedRegistry& registry) { registry.add<Bias>("bias", true, "clip"); }

}  // namespace sextant
