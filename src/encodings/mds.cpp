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
    .notes =
        "sextant fit writes the file; sextant score and report fit it to the corpus at hand when "
        "there is none.",
    .sites = {.input = true},
    .params = kFittedParams,
    .claims = {.orthogonal = Claim::kNo,
               .any_length = Claim::kNo,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .required_file = "file",
};

class Mds final : public FittedRows {
 public:
  explicit Mds(const Params& params) : FittedRows(kInfo, params) {}
};

}  // namespace

void register_mds(EncodingRegistry& registry) { registry.add<Mds>(kInfo); }

}  // namespace sextant
