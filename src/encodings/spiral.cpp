// SPDX-License-Identifier: Apache-2.0
// Damped rotation: every pair turns at its own frequency and shrinks at one common rate.
#include "encoding/rotary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    number_param("rate", "0.01", 1e-12, 1e3, "decay per position of lag"),
    kBaseParam,
    kPairingParam,
};

constexpr std::string_view kExamples[] = {"spiral(rate=0.1)"};

constexpr EncodingInfo kInfo = {
    .name = "spiral",
    .title = "Damped rotation",
    .formula = R"(A(t) = e^{-rt} \bigoplus_j R(t\,b^{-2j/d}))",
    .reference = "Sun et al., Retentive Network, 2023, arXiv:2307.08621",
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

class Spiral final : public Encoding {
 public:
  explicit Spiral(const Params& params)
      : rate_(params.number("rate")),
        base_(params.number("base")),
        pairing_(params.word("pairing")) {}

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    require_even(extent.dim, kInfo.name);
    return {.query_key = QueryKeyMap{.groups = {rotation_group(geometric_ladder(base_, extent.dim),
                                                               pairing_, extent.dim, {-rate_})}}};
  }

 private:
  double rate_, base_;
  std::string pairing_;
};

}  // namespace

void register_spiral(EncodingRegistry& registry) { registry.add<Spiral>(kInfo); }

}  // namespace sextant
