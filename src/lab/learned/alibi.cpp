// SPDX-License-Identifier: Apache-2.0
// ALiBi with trained slopes; its mask and its schedule stay.
#include <limits>

#include "lab/learned_start.h"

namespace sextant {
namespace {

class Alibi final : public LearnedTerm {
 public:
  explicit Alibi(const LearnedStart& start) {
    causal_ = params_of(start).word("causal") == "1";
    const LogitBias bias = *start.encoding->effects({.heads = start.shape.heads}).logit;
    Vector slopes;
    for (Index h = 0; h < start.shape.heads; ++h) slopes.push_back(-bias.at(h, 1.0, 0.0));
    slopes_ = register_parameter("slopes", to_torch(slopes, start.options));
    unit_ = with_values(start, {{"per_head", {.shape = {1, 1}, .values = {1.0}}}});
  }

  SiteTensors sites(Index n) override {
    const Extent extent{.positions = n, .heads = slopes_.size(0)};
    const double penalty = unit_->effects(extent).logit->at(0, 1.0, 0.0);  // of a step, at slope 1
    const torch::Tensor lags = lag_range(1 - n, n - 1).to(slopes_.options());
    torch::Tensor bias = torch::outer(slopes_, penalty * lags.abs());
    if (causal_) bias = bias.masked_fill(lags < 0, -std::numeric_limits<double>::infinity());
    return {.bias = by_pair(bias, n)};
  }

  TensorMap values() const override { return {{"per_head", stored(slopes_.unsqueeze(0))}}; }

 private:
  bool causal_ = false;
  torch::Tensor slopes_;            // [heads]
  std::unique_ptr<Encoding> unit_;  // with slope 1
};

}  // namespace

void register_alibi(LearnedRegistry& registry) {
  registry.add<Alibi>("alibi", false, "slope|max_bias");
}

}  // namespace sextant
