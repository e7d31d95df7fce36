// SPDX-License-Identifier: Apache-2.0
// An encoding that is not in the catalogue: -strength lag/(1 + |lag|). The test adds it to a copy
// of the tree to show that this file and one line are all it takes.
#include <cmath>

#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    number_param("strength", "1", 0.001, 1000.0, "largest size of the bias"),
};

constexpr EncodingInfo kInfo = {
    .name = "toy",
    .title = "Toy saturating bias",
    .formula = R"(b(s,t) = -a\,\frac{s-t}{1+|s-t|})",
    .reference = "none: this encoding exists for a test",
    .sites = {.logit = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
};

class Toy final : public Encoding {
 public:
  explicit Toy(const Params& params) : strength_(params.number("strength")) {}

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent&) const override {
    return {.logit = LogitBias{.at = [strength = strength_](Index, double s, double t) {
              const double lag = s - t;
              return -strength * lag / (1.0 + std::abs(lag));
            }}};
  }

 private:
  double strength_;
};

}  // namespace

void register_toy(EncodingRegistry& registry) { registry.add<Toy>(kInfo); }

}  // namespace sextant
