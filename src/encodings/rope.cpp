// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding: pair j of a head turns by t * base^(-2j/d), or by one of the scaled
// ladders with which models are extended to longer contexts.
#include "encoding/rotary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    kBaseParam,
    word_param("scaling", "none", "none|linear|ntk|dynamic|yarn|llama3|longrope|proportional",
               "rule that extends the context"),
    number_param("factor", "1", 1, 1e6, "extension factor of the scaling"),
    integer_param("original", "", 1, 1e12, "trained length"),
    integer_param("length", "", 1, 1e12, "current length for dynamic and longrope; else original"),
    number_param("beta_fast", "32", 1e-6, 1e6, "yarn: turns above which a pair is kept"),
    number_param("beta_slow", "1", 1e-6, 1e6, "yarn: turns below which a pair is interpolated"),
    word_param("truncate", "true", "true|false", "yarn: round the ends of the ramp outwards"),
    number_param("attention_factor", "", 1e-6, 1e6, "yarn, longrope: explicit factor on cos, sin"),
    number_param("mscale", "", 0, 1e6, "yarn: weight of the log in the numerator"),
    number_param("mscale_all_dim", "", 0, 1e6, "yarn: weight of the log in the denominator"),
    number_param("low", "1", 0, 1e6, "llama3: turns below which a pair is divided by factor"),
    number_param("high", "4", 0, 1e6, "llama3: turns above which a pair is kept"),
    list_param("short_factor", "", 1e-6, 1e6, "longrope: divisor per pair up to original"),
    list_param("long_factor", "", 1e-6, 1e6, "longrope: divisor per pair beyond original"),
    number_param("partial", "1", 1e-6, 1, "fraction of the coordinates that turn"),
    kPairingParam,
};

constexpr std::string_view kExamples[] = {
    "rope(base=500000)",
    "rope(base=500000,scaling=llama3,factor=8,original=8192)",
    "rope(scaling=linear,factor=4)",
    "rope(scaling=ntk,factor=4)",
    "rope(scaling=dynamic,factor=10,original=2048,length=16384)",
    "rope(scaling=yarn,factor=4,original=4096)",
    "rope(scaling=proportional,partial=0.25)",
    "rope(partial=0.5,pairing=interleaved)",
};

constexpr EncodingInfo kInfo = {
    .name = "rope",
    .title = "Rotary position embedding",
    .formula = R"(A(t) = \bigoplus_j R(t\,b^{-2j/d}))",
    .reference = "Su et al., RoFormer, 2021, arXiv:2104.09864",
    .notes =
        "The pairing is part of a checkpoint's identity: half (NeoX, Hugging Face) is the "
        "default, interleaved (GPT-J, Meta) the other. yarn and longrope also multiply cos "
        "and sin by a magnitude, which leaves what does not turn. proportional divides no pair "
        "but stops the slow ones, and pairs across the whole head.",
    .sites = {.query_key = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .group = Claim::kYes,
               .norm_preserving = Claim::kYes,
               .orthogonal = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
};

class Rope final : public Encoding {
 public:
  explicit Rope(const Params& params)
      : scaling_(parse_scaling(params)), pairing_(params.word("pairing")) {}

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    return {.query_key = QueryKeyMap{.groups = {rotation_group(scaled_ladder(scaling_, extent.dim),
                                                               pairing_, extent.dim)},
                                     .magnitude = scaled_magnitude(scaling_)}};
  }

  Claims claims() const override {
    Claims claims = kInfo.claims;
    if (scaled_magnitude(scaling_) == DoubleDouble(1.0)) return claims;
    claims.norm_preserving = Claim::kNo;
    // The magnitude leaves what does not turn: no multiple of an orthogonal map.
    if (scaling_.partial != 1.0) claims.orthogonal = Claim::kNo;
    return claims;
  }

 private:
  RotaryScaling scaling_;
  std::string pairing_;
};

}  // namespace

void register_rope(EncodingRegistry& registry) { registry.add<Rope>(kInfo); }

}  // namespace sextant
