// SPDX-License-Identifier: Apache-2.0
// GRAPE-M: a rotation in one plane of the head, spanned by two vectors a and b.
//
// exp(tL) with L = ab^T - ba^T turns span(a, b) by t sqrt(|a|^2|b|^2 - (a.b)^2) and leaves the
// rest: stored as one rotation in an orthonormal basis that starts with the plane.
#include <Eigen/QR>
#include <cmath>

#include "base/check.h"
#include "base/rng.h"
#include "math/double_double.h"
#include "math/eigen_map.h"
#include "math/elementary.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr Index kWidest = 16384;  // a basis of 2 GB

constexpr ParamInfo kParams[] = {
    file_param("file", "a and b, [2, dim]; without it a random pair"),
    number_param("frequency", "1", 1e-12, 1e3, "factor on the generator"),
    integer_param("seed", "1", 0, 1e15, "of the random pair"),
};

constexpr std::string_view kExamples[] = {"grape(frequency=0.1)"};

constexpr EncodingInfo kInfo = {
    .name = "grape",
    .title = "Rank-2 skew rotation (GRAPE-M)",
    .formula = R"(A(t) = e^{tL},\quad L = \omega (ab^\top - ba^\top))",
    .reference = "Zhang et al., Group Representational Position Encoding, 2025, arXiv:2512.07805",
    .notes =
        "The random pair has unit norms, so the plane turns by at most frequency per position.",
    .sites = {.query_key = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .group = Claim::kYes,
               .norm_preserving = Claim::kYes,
               .orthogonal = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
    .needs_values = true,
};

class Grape final : public Encoding {
 public:
  explicit Grape(const Params& params)
      : frequency_(params.number("frequency")),
        seed_(static_cast<std::uint64_t>(params.integer("seed"))) {
    if (!params.has("file")) return;
    plane_ = params.matrix("file");
    if (plane_->rows() != 2)
      fail(ErrorCode::kMalformed, params.source("file"), "array must have two rows but has {}",
           plane_->rows());
  }

  const EncodingInfo& info() const override { return kInfo; }

  Effects make_effects(const Extent& extent) const override {
    const Index d = extent.dim;
    require(d >= 2, kInfo.name, "dim must be at least 2 but got {}", d);
    if (d > kWidest)
      fail(ErrorCode::kRefused, kInfo.name, "a basis of {0} x {0} does not fit; dim may be {1}", d,
           kWidest);
    const Matrix plane = plane_ ? *plane_ : draw(d);
    require(plane.cols() == d, kInfo.name, "dim must be the {} columns of the file but got {}",
            plane.cols(), d);
    // Columns of Q: a/|a|, then the part of b across a, then any completion. Householder QR may
    // flip signs; L turns a towards -b, so the angle's sign follows those of R.
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(as_eigen(plane).transpose());
    const EigenMatrix basis = qr.householderQ() * EigenMatrix::Identity(d, d);
    const double area = qr.matrixQR()(0, 0) * qr.matrixQR()(1, 1);
    require(std::abs(area) > 1e-12 * as_eigen(plane).squaredNorm(), kInfo.name,
            "a and b must not be parallel");
    std::vector<JordanBlock> blocks = {{.frequency = DoubleDouble(-area) * frequency_}};
    blocks.resize(static_cast<std::size_t>(d - 1));
    return {.query_key = QueryKeyMap{
                .groups = {OneParameterGroup::in_basis(std::move(blocks), to_matrix(basis))}}};
  }

 private:
  Matrix draw(Index d) const {
    Matrix plane(2, d);
    for (Index i = 0; i < 2; ++i) {
      const Rng rng(seed_, static_cast<std::uint64_t>(i));
      for (Index j = 0; j < d; ++j) plane(i, j) = rng.normal(static_cast<std::uint64_t>(j));
      as_eigen(plane.row(i)).normalize();
    }
    return plane;
  }

  double frequency_;
  std::uint64_t seed_;
  std::optional<Matrix> plane_;
};

}  // namespace

void register_grape(EncodingRegistry& registry) { registry.add<Grape>(kInfo); }

}  // namespace sextant
