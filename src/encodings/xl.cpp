// SPDX-License-Identifier: Apache-2.0
// Transformer-XL: sinusoidal rows of the lag, seen through a learned map and two learned vectors.
//
// (q + u)^T k + (q + v)^T W R(s-t), spread over the linear terms of the pair form.
#include <cmath>

#include "base/check.h"
#include "base/rounding.h"
#include "encoding/learned_values.h"
#include "encoding/rotary.h"
#include "math/eigen_map.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    file_param("file", "trained values, [dim + 2, dim]: u, v, then W; else an initial draw"),
    kBaseParam,
    integer_param("seed", "1", 0, 1e15, "of the initial draw"),
};

constexpr std::string_view kExamples[] = {"xl(seed=2)"};

constexpr EncodingInfo kInfo = {
    .name = "xl",
    .title = "Transformer-XL relative encoding",
    .formula = R"((q_s + u)^\top k_t + (q_s + v)^\top W R_{s-t})",
    .reference = "Dai et al., Transformer-XL, 2019, arXiv:1901.02860",
    .notes = "R is the sinusoidal row of the lag, sines first. One u, v, W for all heads.",
    .sites = {.key_offset = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
    .needs_values = true,
};

class Xl final : public Encoding {
 public:
  explicit Xl(const Params& params) : values_(params, kInfo.name), base_(params.number("base")) {}

  const EncodingInfo& info() const override { return kInfo; }
  Index dim() const override { return values_.trained_columns(); }

  Effects make_effects(const Extent& extent) const override {
    require_even(extent.dim, kInfo.name);
    const double deviation = 1.0 / std::sqrt(static_cast<double>(extent.dim));
    return {.key_offset = KeyOffset{
                .at = [values = values_.matrix(extent.dim + 2, extent.dim, deviation),
                       ladder = geometric_ladder(base_, extent.dim)](Index, double s, double t) {
                  const Eigen::VectorXd row = sinusoid(ladder, s - t);
                  const auto all = as_eigen(values);
                  const Eigen::VectorXd seen = all.bottomRows(all.rows() - 2) * row;
                  return LinearTerms{.u = {seen.begin(), seen.end()},
                                     .v = {values.row(0).begin(), values.row(0).end()},
                                     .c = all.row(1).dot(seen)};
                }}};
  }

 private:
  static Eigen::VectorXd sinusoid(const std::vector<DoubleDouble>& ladder, double lag) {
    const auto half = static_cast<Index>(ladder.size());
    Eigen::VectorXd row(2 * half);
    for (Index k = 0; k < half; ++k) {
      const CosSin value = cos_sin(lag, ladder[static_cast<std::size_t>(k)]);
      row(k) = to_double(value.sin);
      row(half + k) = to_double(value.cos);
    }
    return row;
  }

  LearnedValues values_;
  double base_;
};

}  // namespace

void register_xl(EncodingRegistry& registry) { registry.add<Xl>(kInfo); }

}  // namespace sextant
