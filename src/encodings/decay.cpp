// SPDX-License-Identifier: Apache-2.0
// Exponential decay without rotation, as linear attention and state-space models use it.
#include <algorithm>

#include "base/check.h"
#include "base/rounding.h"
#include "math/double_double.h"
#include "math/elementary.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    number_param("rate", "0.01", 1e-12, 1e3, "decay per position of lag of the fastest coordinate"),
    number_param("base", "1", 1, 1e12, "coordinate i decays at rate * base^(-i/d)"),
    file_param("rates", "trained decay of each coordinate instead, [1, dim]"),
};

constexpr std::string_view kExamples[] = {"decay(rate=0.1,base=100)"};

constexpr EncodingInfo kInfo = {
    .name = "decay",
    .title = "Exponential decay",
    .formula = R"(A(t) = \mathrm{diag}(e^{-r_i t}),\quad r_i = r\,b^{-i/d})",
    .reference =
        "Sun et al., Retentive Network, 2023, arXiv:2307.08621; Gu and Dao, Mamba, 2023, "
        "arXiv:2312.00752",
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

class Decay final : public Encoding {
 public:
  explicit Decay(const Params& params)
      : rate_(params.number("rate")), base_(params.number("base")) {
    if (!params.has("rates")) return;
    require(!params.given("rate") && !params.given("base"), kInfo.name,
            "rates must not go with rate or base");
    rates_ = params.matrix("rates");
    if (rates_.rows() != 1 || rates_.cols() < 1 || std::ranges::min(rates_.values()) <= 0.0)
      fail(ErrorCode::kMalformed, params.source("rates"),
           "array must be one row of positive numbers");
  }

  const EncodingInfo& info() const override { return kInfo; }
  Index dim() const override { return rates_.cols(); }

  Effects make_effects(const Extent& extent) const override {
    require(extent.dim >= 1, kInfo.name, "dim must be positive but got {}", extent.dim);
    require(dim() == 0 || dim() == extent.dim, kInfo.name,
            "dim must be the {} columns of rates but got {}", dim(), extent.dim);
    std::vector<JordanBlock> blocks;
    for (Index i = 0; i < extent.dim; ++i)
      blocks.push_back(
          {.decay = -(dim() > 0 ? rates_(0, i)
                                : to_double(rate_ * rational_power(base_, -i, extent.dim)))});
    return {.query_key = QueryKeyMap{.groups = {OneParameterGroup(std::move(blocks))}}};
  }

 private:
  double rate_, base_;
  Matrix rates_;  // [1, dim], or empty
};

}  // namespace

void register_decay(EncodingRegistry& registry) { registry.add<Decay>(kInfo); }

}  // namespace sextant
