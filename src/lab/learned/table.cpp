// SPDX-License-Identifier: Apache-2.0
// Rows of a file, trained on from there.
#include "lab/learned_start.h"
#include "lab/linear_rows.h"

namespace sextant {
namespace {

class LearnedTable final : public LinearRows {
 public:
  explicit LearnedTable(const LearnedStart& start)
      : LinearRows(start, "file", params_of(start).matrix("file")) {}
};

}  // namespace

void register_table(LearnedRegistry& registry) { registry.add<LearnedTable>("table", false); }

}  // namespace sextant
