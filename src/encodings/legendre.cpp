// SPDX-License-Identifier: Apache-2.0
// Legendre polynomials of the position, scaled to the training length.
#include "math/legendre.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "encoding/absolute.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("train", "512", 1, 1e9, "training length N"),
    word_param("x", "symmetric", "symmetric|unit", "symmetric: x = 2t/N - 1; unit: x = t/N"),
    word_param("beyond", "clamp", "clamp|none",
               "past N: x stays at 1, or grows until the numbers do not fit"),
    kPositionsParam,
};

constexpr std::string_view kExamples[] = {
    "legendre(train=50)",
    "legendre(train=50,x=unit)",
    "legendre(train=50,beyond=none)",
};

constexpr EncodingInfo kInfo = {
    .name = "legendre",
    .title = "Legendre polynomials",
    .formula = R"(p_{t,k} = P_k(2t/N - 1))",
    .reference =
        "Li, Theoretical Analysis of Positional Encodings in Transformer Models, 2025, "
        "arXiv:2506.06398",
    .notes =
        "With clamp all positions from N on share the row of ones. Without it P_k grows like "
        "(2x)^k: a row that does not fit a double is refused.",
    .sites = {.input = true},
    .params = kParams,
    .claims = {.orthogonal = Claim::kNo,
               .any_length = Claim::kYes,
               .separates = Claim::kNo,
               .bounded = Claim::kYes},
    .examples = kExamples,
};

class Legendre final : public Encoding {
 public:
  explicit Legendre(const Params& params)
      : train_(params.number("train")),
        symmetric_(params.word("x") == "symmetric"),
        clamp_(params.word("beyond") == "clamp"),
        rule_(params) {}

  const EncodingInfo& info() const override { return kInfo; }

  Claims claims() const override {
    Claims claims = rule_.adjusted(kInfo.claims);
    if (!clamp_) {
      claims.bounded = Claim::kNo;
      claims.separates = Claim::kYes;
    }
    return claims;
  }

  Effects make_effects(const Extent& extent) const override {
    return {.input = input_table(rule_, extent, 1,
                                 [self = *this](const Position& t, std::span<double> row) {
                                   self.fill(t[0], row);
                                 })};
  }

 private:
  void fill(double t, std::span<double> row) const {
    double x = symmetric_ ? 2.0 * t / train_ - 1.0 : t / train_;
    if (clamp_) x = std::clamp(x, -1.0, 1.0);
    legendre(x, row);
    if (!std::isfinite(row.back()))
      fail(ErrorCode::kNumeric, kInfo.name, "row of position {} must be finite but P_{}({}) is not",
           t, row.size() - 1, x);
  }

  double train_;
  bool symmetric_, clamp_;
  PositionRule rule_;
};

}  // namespace

void register_legendre(EncodingRegistry& registry) { registry.add<Legendre>(kInfo); }

}  // namespace sextant
