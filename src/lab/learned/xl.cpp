// SPDX-License-Identifier: Apache-2.0
// Transformer-XL: (q + u)^T k + (q + v)^T W R(s-t) with trained u, v and W; R stays.
#include <cmath>

#include "encoding/learned_values.h"
#include "encoding/rotary.h"
#include "lab/learned_start.h"

namespace sextant {
namespace {

class Xl final : public LearnedTerm {
 public:
  explicit Xl(const LearnedStart& start) {
    const Params params = params_of(start);
    const Index w = head_width(start);
    require_even(w, "xl");
    const double deviation = 1.0 / std::sqrt(static_cast<double>(w));
    const Matrix first = LearnedValues(params, "xl").matrix(w + 2, w, deviation);
    values_ = register_parameter("values", to_torch(first, start.options));
    Vector frequencies;
    for (const DoubleDouble& frequency : geometric_ladder(params.number("base"), w))
      frequencies.push_back(frequency.high);
    frequencies_ = to_torch(frequencies, torch::kDouble);
  }

  SiteTensors sites(Index n) override {
    // In double whatever the model computes in: phases of far lags need the digits.
    const torch::Tensor angles = torch::outer(lag_range(1 - n, n - 1), frequencies_);
    const torch::Tensor r = torch::cat({angles.sin(), angles.cos()}, 1);  // sines first
    const Index w = values_.size(1);
    const torch::Tensor seen =
        torch::mm(r.to(values_.options()), values_.narrow(0, 2, w).t());  // [2n-1, w]
    return {.query_terms = seen.unsqueeze(0),
            .key_terms = values_[0].expand({1, 2 * n - 1, w}),
            .constants = by_pair(torch::mv(seen, values_[1]), n).unsqueeze(0)};
  }

  TensorMap values() const override { return {{"file", stored(values_)}}; }

 private:
  torch::Tensor values_;       // [w + 2, w]: u, v, then W
  torch::Tensor frequencies_;  // [w / 2]
};

}  // namespace

void register_xl(LearnedRegistry& registry) { registry.add<Xl>("xl"); }

}  // namespace sextant
