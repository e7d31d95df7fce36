// SPDX-License-Identifier: Apache-2.0
// A trained table of rows.
#include <algorithm>

#include "lab/learned_start.h"
#include "lab/linear_rows.h"

namespace sextant {
namespace {

// The rows of the file or of the initial draw, before any rule about positions.
Matrix first_rows(const LearnedStart& start) {
  const Params params = params_of(start);
  if (params.has("file")) return params.matrix("file");
  EncodingSpec::Term draw{.name = start.term.name, .arguments = {}, .at = 0};
  std::ranges::copy_if(start.term.arguments, std::back_inserter(draw.arguments),
                       [](const auto& a) { return a.key == "seed" || a.key == "train"; });
  const Index rows = params.integer("train");
  const Extent extent{.positions = rows, .dim = start.shape.dim, .heads = start.shape.heads};
  const auto table = encodings().make(EncodingSpec{.terms = {draw}}.text());
  return input_rows(*table->effects(extent).input, extent, Positions::range(rows));
}

class LearnedTable final : public LinearRows {
 public:
  explicit LearnedTable(const LearnedStart& start) : LinearRows(start, "file", first_rows(start)) {}
};

}  // namespace

void register_learned(LearnedRegistry& registry) { registry.add<LearnedTable>("learned"); }

}  // namespace sextant
