// SPDX-License-Identifier: Apache-2.0
// One learned number per clipped lag and head.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "encoding/learned_values.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    file_param("file",
               "trained values, [2 clip + 1, heads], lags -clip..clip; else an initial draw"),
    integer_param("clip", "128", 1, 1e5, "lags beyond +-clip share the outermost value"),
    integer_param("seed", "1", 0, 1e15, "of the initial draw"),
};

constexpr std::string_view kExamples[] = {"bias(clip=4)"};

constexpr EncodingInfo kInfo = {
    .name = "bias",
    .title = "Bias table by lag",
    .formula = R"(b_h(s,t) = \beta_{h,\mathrm{clip}(s-t)})",
    .reference =
        "Huang et al., Improve Transformer Models with Better Relative Position "
        "Embeddings, 2020, arXiv:2009.13658",
    .notes = "Whole lags only.",
    .sites = {.logit = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
    .needs_values = true,
};

class Bias final : public Encoding {
 public:
  explicit Bias(const Params& params) : values_(params, kInfo.name), clip_(params.integer("clip")) {
    if (!values_.trained()) return;
    require(values_.file().rows() % 2 == 1, kInfo.name,
            "file must hold lags -clip..clip, an odd number, but holds {}", values_.file().rows());
    clip_ = values_.file().rows() / 2;
  }

  const EncodingInfo& info() const override { return kInfo; }

  Effects effects(const Extent& extent) const override {
    return {.logit = LogitBias{
                .at = [values = values_.matrix(2 * clip_ + 1, extent.heads),
                       clip = static_cast<double>(clip_)](Index head, double s, double t) {
                  const double lag = std::clamp(s - t, -clip, clip);
                  require(lag == std::floor(lag), kInfo.name,
                          "lag must be a whole number but got {}", lag);
                  return values(static_cast<Index>(lag + clip), head);
                }}};
  }

 private:
  LearnedValues values_;
  Index clip_;
};

}  // namespace

void register_bias(EncodingRegistry& registry) { registry.add<Bias>(kInfo); }

}  // namespace sextant
