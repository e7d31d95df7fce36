// SPDX-License-Identifier: Apache-2.0
// Exponential decay at a trained rate per coordinate. Rates stay positive: trained is ln r.
#include "lab/learned_start.h"

namespace sextant {
namespace {

class Decay final : public LearnedTerm {
 public:
  explicit Decay(const LearnedStart& start) : causal_(start.shape.causal) {
    const QueryKeyMap map = *start.encoding->effects({.dim = head_width(start)}).query_key;
    Vector rates;
    for (const JordanBlock& block : map.groups.front().blocks()) rates.push_back(-block.decay);
    const torch::Tensor first = to_torch(rates, torch::kDouble).log();
    log_rates_ = register_parameter("log_rates", first.to(start.options));
  }

  SiteTensors sites(Index n) override {
    const torch::Tensor lags = lag_range(lowest_lag(n, causal_), n - 1).to(log_rates_.options());
    return split_maps(torch::diag_embed((-torch::outer(lags, log_rates_.exp())).exp()), n);
  }

  TensorMap values() const override { return {{"rates", stored(log_rates_.exp().unsqueeze(0))}}; }

 private:
  bool causal_;
  torch::Tensor log_rates_;  // [w]
};

}  // namespace

void register_decay(LearnedRegistry& registry) { registry.add<Decay>("decay", false, "rate|base"); }

}  // namespace sextant
