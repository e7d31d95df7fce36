// SPDX-License-Identifier: Apache-2.0
// Relative key vectors: the query meets a learned vector of the clipped lag.
#include <cmath>

#include "encoding/clipped_lags.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    file_param("file",
               "trained vectors, [2 clip + 1, dim], lags -clip..clip; else an initial draw"),
    integer_param("clip", "16", 1, 1e5, "lags beyond +-clip share the outermost vector"),
    integer_param("seed", "1", 0, 1e15, "of the initial draw"),
};

constexpr std::string_view kExamples[] = {"shaw(clip=4)"};

constexpr EncodingInfo kInfo = {
    .name = "shaw",
    .title = "Relative key vectors (Shaw)",
    .formula = R"(q_s^\top (k_t + a_{\mathrm{clip}(s-t)}))",
    .reference =
        "Shaw et al., Self-Attention with Relative Position Representations, 2018, "
        "arXiv:1803.02155",
    .notes =
        "The paper indexes by t - s; here by s - t as everywhere. Its second table, added to "
        "the values, does not touch the logit and is left out. Whole lags only.",
    .sites = {.key_offset = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
    .needs_values = true,
};

class Shaw final : public Encoding {
 public:
  explicit Shaw(const Params& params) : lags_(params, kInfo.name) {}

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    const double deviation = 1.0 / std::sqrt(static_cast<double>(extent.dim));
    return {.key_offset =
                KeyOffset{.at = [lags = lags_, table = lags_.table(extent.dim, deviation)](
                                    Index, double s, double t) {
                  const auto row = table.row(lags.row(s - t));
                  return LinearTerms{.u = {row.begin(), row.end()}, .v = Vector(row.size())};
                }}};
  }

 private:
  ClippedLags lags_;
};

}  // namespace

void register_shaw(EncodingRegistry& registry) { registry.add<Shaw>(kInfo); }

}  // namespace sextant
