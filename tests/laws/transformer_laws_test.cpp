// SPDX-License-Identifier: Apache-2.0
// A transformer layer treats every encoding as the slow route does, one logit at a time.
#include <gtest/gtest.h>

#include <algorithm>

#include "laws/subjects.h"
#include "sextant/transformer.h"

namespace sextant {
namespace {

constexpr double kRounding = 1e-12;
constexpr Index kLength = 9;

Vector times(const Matrix& weights, std::span<const double> x) {
  Vector result(static_cast<std::size_t>(weights.rows()));
  for (Index i = 0; i < weights.rows(); ++i)
    for (Index j = 0; j < weights.cols(); ++j)
      result[static_cast<std::size_t>(i)] += weights(i, j) * x[static_cast<std::size_t>(j)];
  return result;
}

// x + W_o sum_t w_st W_v x_t with softmax weights of content / sqrt(dim) + bias, pair by pair.
Matrix by_hand(const TransformerLayer& layer, const TransformerShape& shape, const Effects& effects,
               const Matrix& x) {
  Effects content = effects;
  content.input.reset();
  content.logit.reset();
  const double scale = 1.0 / std::sqrt(static_cast<double>(shape.dim));
  Matrix result = x;
  for (Index s = 0; s < x.rows(); ++s) {
    const auto at_s = static_cast<double>(s);
    double sum = 0.0;
    Vector mean(static_cast<std::size_t>(shape.dim));
    for (Index t = 0; t < (shape.causal ? s + 1 : x.rows()); ++t) {
      const auto at_t = static_cast<double>(t);
      const double bias = effects.logit ? effects.logit->at(0, at_s, at_t) : 0.0;
      const double logit = fast_logit(content, 0, at_s, at_t, times(layer.query, x.row(s)),
                                      times(layer.key, x.row(t)));
      const double weight = std::exp(scale * logit + bias);
      const Vector value = times(layer.value, x.row(t));
      sum += weight;
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += weight * value[i];
    }
    for (double& m : mean) m /= sum;
    const Vector out = times(layer.output, mean);
    for (std::size_t i = 0; i < out.size(); ++i) result.row(s)[i] += out[i];
  }
  return result;
}

class TransformerLaws : public testing::TestWithParam<std::string> {
 protected:
  Matrix tokens() const {
    Matrix x(kLength, kExtent.dim);
    const Vector values = random_vector(kLength * kExtent.dim, 9);
    std::transform(values.begin(), values.end(), x.values().begin(),
                   [](double value) { return 0.3 * value; });
    return x;
  }

  std::unique_ptr<Encoding> encoding_ = make_subject(GetParam());
  Extent extent_ = extent_for(*encoding_);
  Effects effects_ = encoding_->effects(extent_);
};

TEST_P(TransformerLaws, OneHeadEqualsItsLogitsOneByOne) {
  const bool must_mask = encoding_->claims().needs_causal_mask == Claim::kYes;
  for (const bool causal : {must_mask, true}) {
    const TransformerShape shape{.layers = 1,
                                 .dim = kExtent.dim,
                                 .heads = 1,
                                 .hidden = 0,
                                 .layer_norm = false,
                                 .causal = causal};
    const Transformer model = Transformer::random(shape, 3);
    Matrix x = tokens();
    const Matrix fast = forward(model, effects_, x);
    if (effects_.input) {
      const Matrix rows = input_rows(*effects_.input, extent_, Positions::range(kLength));
      for (std::size_t i = 0; i < rows.values().size(); ++i) x.values()[i] += rows.values()[i];
    }
    const Matrix slow = by_hand(model.layers.front(), shape, effects_, x);
    for (std::size_t i = 0; i < fast.values().size(); ++i)
      ASSERT_NEAR(fast.values()[i], slow.values()[i],
                  kRounding * (1.0 + std::abs(slow.values()[i])));
  }
}

INSTANTIATE_TEST_SUITE_P(All, TransformerLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sextant
