// SPDX-License-Identifier: Apache-2.0
// GRAPE-M: the two vectors that span the plane are trained. With L = w (ab^T - ba^T) and its angle
// r per position, L^3 = -r^2 L, so that exp(tL) = 1 + sin(rt)/r L + (1 - cos(rt))/r^2 L^2.
#include "encoding/learned_values.h"
#include "lab/learned_start.h"

namespace sextant {
namespace {

class Grape final : public LearnedTerm {
 public:
  explicit Grape(const LearnedStart& start) {
    const Params params = params_of(start);
    frequency_ = params.number("frequency");
    const LearnedValues drawn(params, "grape");
    torch::Tensor first = to_torch(drawn.matrix(2, head_width(start)), torch::kDouble);
    if (!drawn.trained()) first = first / first.norm(2, 1, true);
    plane_ = register_parameter("plane", first.to(start.options));
  }

  SiteTensors sites(Index n) override {
    const torch::Tensor a = plane_[0], b = plane_[1];
    const torch::Tensor product = frequency_ * torch::outer(a, b);
    const torch::Tensor l = product - product.t();
    const torch::Tensor angle =
        frequency_ * (a.dot(a) * b.dot(b) - a.dot(b).square()).clamp_min(0.0).sqrt();
    const torch::Tensor half =
        0.5 * angle * lag_range(0, n - 1).to(plane_.options()).view({n, 1, 1});
    // 1 - cos x = 2 sin^2(x/2): no digits are lost at small angles.
    const torch::Tensor back = torch::eye(l.size(0), plane_.options()) -
                               (2.0 * half).sin() / angle * l +
                               2.0 * (half.sin() / angle).square() * torch::mm(l, l);
    return {.query_map = {.values = back}, .key_map = {.values = back}};  // A(s)^T = A(-s)
  }

  TensorMap values() const override { return {{"file", stored(plane_)}}; }

 private:
  double frequency_ = 1.0;
  torch::Tensor plane_;  // [2, w]: a, b
};

}  // namespace

void register_grape(LearnedRegistry& registry) { registry.add<Grape>("grape"); }

}  // namespace sextant
