// SPDX-License-Identifier: Apache-2.0
// Jordan-RoPE: defective rotations, whose logits carry lag^r {cos, sin}(w lag) for r < order.
#include "base/check.h"
#include "encoding/rotary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("order", "2", 1, 16, "links of a chain; 1 is a damped rotation"),
    number_param("decay", "1", 0, 1e3, "c of the real part: -c (raw) or -c/scale"),
    kBaseParam,
    number_param("eta", "1", 0, 1e6, "coupling of the links: eta (raw) or eta/scale"),
    number_param("scale", "1024", 1e-3, 1e12, "length L over which decay and coupling act"),
    word_param(
        "regime", "scaled", "raw|scaled|stabilised",
        "raw: -c + iw, eta; scaled: -c/L + iw, eta/L; stabilised: scaled, with lag/(1+lag/L) "
        "in the polynomial"),
};

constexpr std::string_view kExamples[] = {
    "jordan(order=3)",
    "jordan(decay=0.1,regime=raw)",
    "jordan(decay=0)",
    "jordan(regime=stabilised)",
};

constexpr EncodingInfo kInfo = {
    .name = "jordan",
    .title = "Jordan rotary embedding",
    .formula = R"(A(t) = \bigoplus_k e^{-ct/L} R(w_k t) \otimes e^{\eta t N/L})",
    .reference = "Jordan-RoPE, 2026, arXiv:2605.04217",
    .notes =
        "Frequencies are the ladder of rope over d/order coordinates, one per chain. "
        "stabilised is relative but no group.",
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

class Jordan final : public Encoding {
 public:
  explicit Jordan(const Params& params)
      : order_(params.integer("order")),
        base_(params.number("base")),
        scale_(params.number("scale")),
        regime_(params.word("regime")) {
    const double unit = regime_ == "raw" ? 1.0 : scale_;
    decay_ = -params.number("decay") / unit;
    coupling_ = params.number("eta") / unit;
    require(regime_ != "raw" || !params.given("scale"), kInfo.name,
            "scale must go with regime=scaled or stabilised, not raw");
  }

  const EncodingInfo& info() const override { return kInfo; }

  Claims claims() const override {
    Claims claims = kInfo.claims;
    const bool polynomial = order_ > 1 && coupling_ != 0.0;
    if (regime_ == "stabilised" && polynomial) claims.group = Claim::kNo;
    if (decay_ != 0.0) return claims;
    if (!polynomial) {
      claims.norm_preserving = claims.orthogonal = Claim::kYes;
      claims.needs_causal_mask = Claim::kNo;
    } else if (regime_ == "stabilised") {
      claims.needs_causal_mask = Claim::kNo;
    } else {
      claims.bounded = Claim::kNo;
    }
    return claims;
  }

  Effects make_effects(const Extent& extent) const override {
    require(extent.dim > 0 && extent.dim % (2 * order_) == 0, kInfo.name,
            "dim must be a multiple of {} for order {} but got {}", 2 * order_, order_, extent.dim);
    std::vector<JordanBlock> blocks;
    for (const DoubleDouble& frequency : geometric_ladder(base_, extent.dim / order_))
      blocks.push_back(
          {.decay = decay_, .frequency = frequency, .size = order_, .coupling = coupling_});
    QueryKeyMap map{.groups = {OneParameterGroup(std::move(blocks))}};
    if (regime_ == "stabilised") map.saturation = scale_;
    return {.query_key = std::move(map)};
  }

 private:
  Index order_;
  double base_, scale_;
  std::string regime_;
  double decay_ = 0.0;
  double coupling_ = 0.0;
};

}  // namespace

void register_jordan(EncodingRegistry& registry) { registry.add<Jordan>(kInfo); }

}  // namespace sextant
