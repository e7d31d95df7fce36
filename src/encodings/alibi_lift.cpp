// SPDX-License-Identifier: Apache-2.0
// ALiBi as a group: two more coordinates carry a nilpotent block, and the bias becomes a product.
//
// With the last two coordinates of q set to (1, 0) and those of k to (0, -1) the logit gains
// -slope * (s - t): the signed lag, so ALiBi proper needs the causal mask.
#include "base/check.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    number_param("slope", "1", -1e6, 1e6, "coupling of the nilpotent block"),
};

constexpr std::string_view kExamples[] = {"alibi_lift(slope=0.0625)"};

constexpr EncodingInfo kInfo = {
    .name = "alibi_lift",
    .title = "ALiBi as a nilpotent group",
    .formula = R"(A(t) = I_{d-2} \oplus \begin{pmatrix}1 & mt\\0 & 1\end{pmatrix})",
    .reference = "the lift of a linear bias; Press et al., 2021, arXiv:2108.12409, for the bias",
    .notes =
        "Put (1, 0) into the last two coordinates of every query and (0, -1) into those of "
        "every key: the logit is q.k - m (s - t).",
    .sites = {.query_key = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .group = Claim::kYes,
               .norm_preserving = Claim::kNo,
               .orthogonal = Claim::kNo,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kNo,
               .needs_causal_mask = Claim::kYes},
    .examples = kExamples,
};

class AlibiLift final : public Encoding {
 public:
  explicit AlibiLift(const Params& params) : slope_(params.number("slope")) {
    require(slope_ != 0.0, kInfo.name, "slope must not be 0");
  }

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    require(extent.dim >= 2, kInfo.name, "dim must be at least 2 but got {}", extent.dim);
    std::vector<JordanBlock> blocks(static_cast<std::size_t>(extent.dim - 2));
    blocks.push_back({.size = 2, .coupling = slope_});
    return {.query_key = QueryKeyMap{.groups = {OneParameterGroup(std::move(blocks))}}};
  }

 private:
  double slope_;
};

}  // namespace

void register_alibi_lift(EncodingRegistry& registry) { registry.add<AlibiLift>(kInfo); }

}  // namespace sextant
