// SPDX-License-Identifier: Apache-2.0
// Positions of a corpus placed by stress majorisation.
#include "encoding/fitted.h"

namespace sextant {
namespace {

constexpr EncodingInfo kInfo = {
    .name = "smacof",
    .title = "SMACOF coordinates of a corpus",
    .formula = R"(p = \arg\min_p \sum_{i<j} (d_{ij} - |p_i - p_j|)^2)",
    .reference =
        "de Leeuw and Heiser, Multidimensional scaling with restrictions on the configuration, "
        "1980",
    .notes = kFittedNotes,
    .sites = {.input = true},
    .params = kFittedParams,
    .claims = kFittedClaims,
    .required_file = "file",
};

class Smacof final : public FittedRows {
 public:
  explicit Smacof(const Params& params) : FittedRows(kInfo, params) {}
};

}  // namespace

void register_smacof(EncodingRegistry& registry) { registry.add<Smacof>(kInfo); }

}  // namespace sextant
