// SPDX-License-Identifier: Apache-2.0
// xPos: rotary pairs that also shrink with the lag, each at its own rate.
#include "base/rounding.h"
#include "encoding/rotary.h"
#include "math/double_double.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    kBaseParam,
    number_param("scale", "512", 1e-3, 1e12, "positions over which pair i shrinks by zeta_i"),
    number_param("gamma", "0.4", 1e-6, 1e3, "zeta_i = (2i/d + gamma) / (1 + gamma)"),
    kPairingParam,
};

constexpr std::string_view kExamples[] = {"xpos(pairing=interleaved)"};

constexpr EncodingInfo kInfo = {
    .name = "xpos",
    .title = "Extrapolatable rotary embedding (xPos)",
    .formula =
        R"(A(t) = \bigoplus_i \zeta_i^{t/512} R(t\,b^{-2i/d}),\quad \zeta_i = \frac{2i + 0.4d}{1.4d})",
    .reference = "Sun et al., A Length-Extrapolatable Transformer, 2022, arXiv:2212.10554",
    .notes =
        "The query is multiplied by zeta^(s/512), the key divided by zeta^(t/512). The "
        "centre that implementations subtract from positions is pure gauge.",
    .sites = {.query_key = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .group = Claim::kYes,
               .norm_preserving = Claim::kNo,
               .orthogonal = Claim::kNo,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes,
               .needs_causal_mask = Claim::kYes},
    .examples = kExamples,
};

class Xpos final : public Encoding {
 public:
  explicit Xpos(const Params& params)
      : base_(params.number("base")),
        scale_(params.number("scale")),
        gamma_(params.number("gamma")),
        pairing_(params.word("pairing")) {}

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    require_even(extent.dim, kInfo.name);
    const auto d = static_cast<double>(extent.dim);
    std::vector<double> decays;
    for (Index i = 0; i < extent.dim / 2; ++i) {
      const DoubleDouble zeta = (2.0 * static_cast<double>(i) + DoubleDouble(gamma_) * d) /
                                ((DoubleDouble(gamma_) + 1.0) * d);
      decays.push_back(to_double(log(zeta) / scale_));
    }
    return {.query_key = QueryKeyMap{.groups = {rotation_group(geometric_ladder(base_, extent.dim),
                                                               pairing_, extent.dim, decays)}}};
  }

 private:
  double base_, scale_, gamma_;
  std::string pairing_;
};

}  // namespace

void register_xpos(EncodingRegistry& registry) { registry.add<Xpos>(kInfo); }

}  // namespace sextant
