// SPDX-License-Identifier: Apache-2.0
// Any real generator X from a file, or several that commute, one per coordinate of the position.
#include <algorithm>

#include "base/check.h"
#include "math/eigen_map.h"
#include "math/growth.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

// Relative norm of XY - YX above which exp(sX + tY) is not exp(sX) exp(tY) for our purposes.
constexpr double kCommutatorTolerance = 1e-10;

constexpr ParamInfo kParams[] = {
    file_param("file", "X, [dim, dim], or a stack [axes, dim, dim] of commuting ones"),
};

constexpr EncodingInfo kInfo = {
    .name = "generator",
    .title = "One-parameter group of a given generator",
    .formula = R"(A(p) = \exp\Big(\sum_a p_a X_a\Big))",
    .reference = "Schenck et al., Learning the RoPEs (STRING), 2025, arXiv:2502.02562",
    .notes =
        "Generators that do not commute are refused: their product is not relative. Each A(t) "
        "is a dense exponential.",
    .sites = {.query_key = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .group = Claim::kYes,
               .norm_preserving = Claim::kNo,
               .orthogonal = Claim::kNo,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kNo,
               .needs_causal_mask = Claim::kYes},
    .required_file = "file",
};

class Generator final : public Encoding {
 public:
  explicit Generator(const Params& params) {
    const Tensor stack = params.tensor("file");
    const std::string where = params.source("file");
    const bool single = stack.shape.size() == 2;
    if (!single && stack.shape.size() != 3)
      fail(ErrorCode::kMalformed, where, "array must be [d, d] or [axes, d, d] but has {} axes",
           stack.shape.size());
    const Index axes = single ? 1 : stack.shape[0];
    const Index d = stack.shape.back();
    if (axes < 1 || axes > kMaxAxes || d < 1 || stack.shape[stack.shape.size() - 2] != d)
      fail(ErrorCode::kMalformed, where, "array must hold 1 to {} square matrices", kMaxAxes);
    for (Index a = 0; a < axes; ++a) {
      Matrix x(d, d);
      std::copy_n(stack.values.begin() + a * d * d, d * d, x.values().begin());
      generators_.push_back(std::move(x));
    }
    check_commuting(where);
  }

  const EncodingInfo& info() const override { return kInfo; }

  Claims claims() const override {
    Claims claims = kInfo.claims;
    bool skew = true;
    bool still = true;
    bool bounded = true;
    bool bounded_back = true;
    for (const Matrix& x : generators_) {
      const auto m = as_eigen(x);
      still = still && m.isZero(0.0);
      skew = skew && (m + m.transpose()).norm() <= 1e-14 * m.norm();
      bounded = bounded && !grows(x, 1.0);
      bounded_back = bounded_back && !grows(x, -1.0);
    }
    if (still) claims.separates = Claim::kNo;
    if (skew) claims.norm_preserving = claims.orthogonal = Claim::kYes;
    if (bounded) claims.bounded = Claim::kYes;
    if (bounded_back) claims.needs_causal_mask = Claim::kNo;
    return claims;
  }

  Effects make_effects(const Extent& extent) const override {
    require(extent.dim == generators_.front().rows(), kInfo.name,
            "dim must be {}, that of X, but got {}", generators_.front().rows(), extent.dim);
    QueryKeyMap map;
    for (const Matrix& x : generators_) map.groups.push_back(OneParameterGroup::from_generator(x));
    return {.query_key = std::move(map)};
  }

 private:
  void check_commuting(const std::string& where) const {
    for (std::size_t a = 0; a < generators_.size(); ++a) {
      for (std::size_t b = a + 1; b < generators_.size(); ++b) {
        const auto x = as_eigen(generators_[a]);
        const auto y = as_eigen(generators_[b]);
        const double commutator = (x * y - y * x).norm();
        const double scale = x.norm() * y.norm();
        if (commutator > kCommutatorTolerance * scale)
          fail(ErrorCode::kMalformed, where,
               "generators {} and {} must commute but |XY-YX| is {:.3g} of |X||Y|", a, b,
               commutator / scale);
      }
    }
  }

  std::vector<Matrix> generators_;
};

}  // namespace

void register_generator(EncodingRegistry& registry) { registry.add<Generator>(kInfo); }

}  // namespace sextant
