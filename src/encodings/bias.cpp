// SPDX-License-Identifier: Apache-2.0
// One learned number per clipped lag and head.
#include "encoding/clipped_lags.h"

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
  explicit Bias(const Params& params) : lags_(params, kInfo.name) {}

  const EncodingInfo& info() const override { return kInfo; }
  Index heads() const override { return lags_.values().trained_columns(); }

  Effects make_effects(const Extent& extent) const override {
    return {.logit = LogitBias{.at = [lags = lags_, table = lags_.table(extent.heads, 1.0)](
                                         Index head, double s, double t) {
              return table(lags.row(s - t), head);
            }}};
  }

 private:
  ClippedLags lags_;
};

}  // namespace

void register_bias(EncodingRegistry& registry) { registry.add<Bias>(kInfo); }

}  // namespace sextant
