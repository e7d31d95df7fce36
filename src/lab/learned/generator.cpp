// SPDX-License-Identifier: Apache-2.0
// exp(tX) with a trained X, dense whatever blocks it starts from.
#include <cmath>

#include "base/check.h"
#include "lab/learned_start.h"

namespace sextant {
namespace {

// By scaling, a Taylor sum and squaring. Not torch::matrix_exp, whose gradient loses as many digits
// as the incoming one exceeds x by: it takes the exponential of a block matrix of both.
torch::Tensor exp_of(const torch::Tensor& x) {
  constexpr int kTerms = 15;  // 2^-16 / 16! is below an ulp
  const double norm = x.detach().norm().item<double>();
  const int squarings = norm > 0.5 && std::isfinite(norm) ? std::ilogb(norm) + 2 : 0;
  const torch::Tensor scaled = std::ldexp(1.0, -squarings) * x;
  const torch::Tensor unit = torch::eye(x.size(0), x.options());
  torch::Tensor sum = unit;
  for (int k = kTerms; k >= 1; --k) sum = unit + torch::mm(scaled, sum) / k;
  for (int i = 0; i < squarings; ++i) sum = torch::mm(sum, sum);
  return sum;
}

// a^0, ..., a^(count-1), [count, w, w], by doubling.
torch::Tensor powers(torch::Tensor a, Index count) {
  torch::Tensor result = torch::eye(a.size(0), a.options()).unsqueeze(0);
  while (result.size(0) < count) {
    result = torch::cat({result, torch::matmul(result, a)});
    a = torch::mm(a, a);
  }
  return result.narrow(0, 0, count);
}

class Generator final : public LearnedTerm {
 public:
  explicit Generator(const LearnedStart& start) : causal_(start.shape.causal) {
    const QueryKeyMap map = *start.encoding->effects({.dim = head_width(start)}).query_key;
    require(map.groups.size() == 1, "generator",
            "a trained generator must have one axis, that of a sequence, but has {}",
            map.groups.size());
    x_ = register_parameter("x", to_torch(map.groups.front().generator(), start.options));
  }

  SiteTensors sites(Index n) override {
    const Index back = -lowest_lag(n, causal_);
    const torch::Tensor ahead = powers(exp_of(-x_), back + 1).flip(0);
    return split_maps(torch::cat({ahead.narrow(0, 0, back), powers(exp_of(x_), n)}), n);
  }

  TensorMap values() const override { return {{"file", stored(x_)}}; }

 private:
  bool causal_;
  torch::Tensor x_;  // [w, w]
};

}  // namespace

void register_generator(LearnedRegistry& registry) {
  registry.add<Generator>("generator", false, "decay|frequency|size|coupling");
}

}  // namespace sextant
