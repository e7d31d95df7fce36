// SPDX-License-Identifier: Apache-2.0
// A vector of the clipped lag that the query meets.
#include <cmath>

#include "lab/clipped_table.h"

namespace sextant {
namespace {

class Shaw final : public ClippedTable {
 public:
  explicit Shaw(const LearnedStart& start)
      : ClippedTable(start, head_width(start),
                     1.0 / std::sqrt(static_cast<double>(head_width(start)))) {}

  SiteTensors sites(Index n) override { return {.query_terms = by_lag(n).unsqueeze(0)}; }
};

}  // namespace

void register_shaw(LearnedRegistry& registry) { registry.add<Shaw>("shaw", true, "clip"); }

}  // namespace sextant
