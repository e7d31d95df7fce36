// SPDX-License-Identifier: Apache-2.0
// Positions of a corpus placed by classical multidimensional scaling.
#include "encoding/fitted.h"

namespace sextant {
namespace {

constexpr EncodingInfo kInfo = {
    .name = "mds",
    .title = "Classical MDS of a corpus",
    .formula =
        R"(p_i = (\sqrt{\lambda_1} U_{i1}, \dots, \sqrt{\lambda_r} U_{ir}), \quad B = -\tfrac12 J D^2 J = U \Lambda U^\top)",
    .reference = "Torgerson, Multidimensional scaling I, Psychometrika 17, 1952",
    .notes = kFittedNotes,
    .sites = {.input = true},
    .params = kFittedParams,
    .claims = kFittedClaims,
    .required_file = "file",
};

class Mds final : public FittedRows {
 public:
  explicit Mds(const Params& params) : FittedRows(kInfo, params) {}
};

}  // namespace

void register_mds(EncodingRegistry& registry) { registry.add<Mds>(kInfo); }

}  // namespace sextant
