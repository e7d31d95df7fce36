// SPDX-License-Identifier: Apache-2.0
// FIRE: the network of each head is trained; c and the threshold stay.
#include <algorithm>
#include <cmath>

#include "encoding/learned_values.h"
#include "lab/learned_start.h"

namespace sextant {
namespace {

class Fire final : public LearnedTerm {
 public:
  explicit Fire(const LearnedStart& start) {
    const Params params = params_of(start);
    c_ = params.number("c");
    threshold_ = params.number("threshold");
    const Matrix first =
        LearnedValues(params, "fire").matrix(start.shape.heads, 3 * params.integer("hidden") + 1);
    network_ = register_parameter("network", to_torch(first, start.options));
  }

  // Queries up to the threshold share one list by distance; each later one has its own.
  SiteTensors sites(Index n) override {
    const Index near =
        static_cast<Index>(std::min(static_cast<double>(n), std::floor(threshold_) + 1.0));
    const torch::Tensor distances = lag_range(1 - n, n - 1).abs();
    const torch::Tensor shared = psi(distances) / std::log1p(c_ * threshold_);
    torch::Tensor bias = by_pair(network(shared), n).narrow(1, 0, near);
    if (near < n) {
      const torch::Tensor reach = lag_range(near, n - 1).unsqueeze(1);
      const torch::Tensor own = psi((reach - lag_range(0, n - 1)).abs()) / psi(reach);
      bias = torch::cat({bias, network(own)}, 1);
    }
    return {.bias = bias};
  }

  TensorMap values() const override { return {{"file", stored(network_)}}; }

 private:
  torch::Tensor psi(const torch::Tensor& x) const { return torch::log1p(c_ * x); }

  // [heads, shape of x].
  torch::Tensor network(const torch::Tensor& x) const {
    const Index heads = network_.size(0), hidden = network_.size(1) / 3;
    const torch::Tensor in = x.to(network_.options()).reshape({1, -1, 1});
    const auto part = [&](Index k) { return network_.narrow(1, k * hidden, hidden).unsqueeze(1); };
    const torch::Tensor inner = torch::relu(in * part(0) + part(1));  // [heads, x, hidden]
    const torch::Tensor out = (inner * part(2)).sum(2) + network_.narrow(1, 3 * hidden, 1);
    std::vector<std::int64_t> shape = x.sizes().vec();
    shape.insert(shape.begin(), heads);
    return out.reshape(shape);
  }

  double c_ = 0.0, threshold_ = 0.0;
  torch::Tensor network_;  // [heads, 3 hidden + 1]: w1, b1, w2, b2
};

}  // namespace

void register_fire(LearnedRegistry& registry) { registry.add<Fire>("fire"); }

}  // namespace sextant
