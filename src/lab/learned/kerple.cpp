// SPDX-License-Identifier: Apache-2.0
// KERPLE: r1 and r2 of each head. Trained are numbers that may be anything: ln r1 and ln r2, of an
// exponent that must stay below 2 the logit of r2 / 2.
#include "base/check.h"
#include "encoding/per_head.h"
#include "lab/learned_start.h"

namespace sextant {
namespace {

class Kerple final : public LearnedTerm {
 public:
  explicit Kerple(const LearnedStart& start) {
    const Params params = params_of(start);
    power_ = params.word("kind") == "power";
    const Index heads = start.shape.heads;
    const torch::Tensor first = first_values(params).expand({2, heads});
    const torch::Tensor r2 = first[1];
    require(!power_ || r2.max().item<double>() < 2.0, "kerple",
            "r2 must be below 2 where it is trained");
    strength_ = register_parameter("strength", first[0].log().to(start.options));
    rate_ = register_parameter("rate", (power_ ? (r2 / 2).logit() : r2.log()).to(start.options));
  }

  SiteTensors sites(Index n) override {
    const torch::Tensor distance = lag_range(1 - n, n - 1).abs().to(rate_.options());
    const torch::Tensor r2 = this->r2().unsqueeze(1);
    const torch::Tensor penalty = power_ ? torch::pow(distance, r2) : torch::log1p(r2 * distance);
    return {.bias = by_pair(-r1().unsqueeze(1) * penalty, n)};
  }

  TensorMap values() const override { return {{"per_head", stored(torch::stack({r1(), r2()}))}}; }

 private:
  // [2, heads] or [2, 1].
  static torch::Tensor first_values(const Params& params) {
    if (params.has("per_head")) return to_torch(params.matrix("per_head"), torch::kDouble);
    const torch::Tensor r1 = to_torch(params.list("r1"), torch::kDouble);
    const torch::Tensor r2 = to_torch(params.list("r2"), torch::kDouble);
    const Index count = std::max(r1.numel(), r2.numel());
    return torch::stack({r1.expand({count}), r2.expand({count})});
  }
  torch::Tensor r1() const { return strength_.exp(); }
  torch::Tensor r2() const { return power_ ? 2.0 * rate_.sigmoid() : rate_.exp(); }

  bool power_ = false;
  torch::Tensor strength_, rate_;  // [heads]
};

}  // namespace

void register_kerple(LearnedRegistry& registry) { registry.add<Kerple>("kerple", true, "r1|r2"); }

}  // namespace sextant
