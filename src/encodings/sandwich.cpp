// SPDX-License-Identifier: Apache-2.0
// Sandwich: the inner product of two sinusoidal rows as a bias, compressed per head.
#include "base/check.h"
#include "base/rounding.h"
#include "encoding/rotary.h"
#include "math/double_double.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    kBaseParam,
    integer_param("width", "128", 2, 1e5, "columns of the sinusoidal rows"),
};

constexpr std::string_view kExamples[] = {"sandwich(width=32)"};

constexpr EncodingInfo kInfo = {
    .name = "sandwich",
    .title = "Sandwich bias",
    .formula = R"(b_h(s,t) = \frac{H}{8h} \sum_{i<w/2} \cos\big((s-t)\,b^{-2i/w}\big))",
    .reference =
        "Chi et al., Dissecting Transformer Length Extrapolation via the Lens of "
        "Receptive Field Analysis, 2022, arXiv:2212.10356",
    .sites = {.logit = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
};

class Sandwich final : public Encoding {
 public:
  explicit Sandwich(const Params& params)
      : base_(params.number("base")), width_(params.integer("width")) {
    require_even(width_, "sandwich: width");
  }

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    return {.logit = LogitBias{
                .at = [ladder = geometric_ladder(base_, width_),
                       heads = static_cast<double>(extent.heads)](Index head, double s, double t) {
                  DoubleDouble sum = 0.0;
                  for (const DoubleDouble& frequency : ladder)
                    sum = sum + cos_sin(s - t, frequency).cos;
                  return to_double(sum * heads / (8.0 * static_cast<double>(head + 1)));
                }}};
  }

 private:
  double base_;
  Index width_;
};

}  // namespace

void register_sandwich(EncodingRegistry& registry) { registry.add<Sandwich>(kInfo); }

}  // namespace sextant
