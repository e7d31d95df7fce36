// SPDX-License-Identifier: Apache-2.0
// Rows of a file, trained on from there.
#include "lab/learned_start.h"
#include "lab/linear_rows.h"

namespace sextant {
namespace {

class GivenTable final : public LinearRows {
 public:
  explicit GivenTable(const LearnedStart& start)
      : LinearRows(start, "file", params_of(start).matrix("file")) {}
};

}  // namespace

void register_table(LearnedRegistry& registry) { registry.add<GivenTable>("table", false); }

}  // namespace sextant
