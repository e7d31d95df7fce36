// SPDX-License-Identifier: Apache-2.0
// A transformer layer treats every encoding as the slow route does, one logit at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "laws/subjects.h"
#include "sextant/transformer.h"

namespace sextant {
namespace {

constexpr double kForwardRounding = 1e-12;
constexpr Index kLength = 9;

Vector affine(const Matrix& weights, const Vector& bias, std::span<const double> x) {
  Vector result = bias;
  for (Index i = 0; i < weights.rows(); ++i)
    for (Index j = 0; j < weights.cols(); ++j)
      result[static_cast<std::size_t>(i)] += weights(i, j) * x[static_cast<std::size_t>(j)];
  return result;
}

// In place: gain (x - mean) / sqrt(variance + epsilon) + shift.
void norm(std::span<double> x, const Vector& gain, const Vector& shift) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double variance = 0.0;
  for (const double value : x) variance += (value - mean) * (value - mean) / n;
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = gain[i] * (x[i] - mean) / std::sqrt(variance + kNormEpsilon) + shift[i];
}

// x + W_o sum_t w_st (W_v x_t + b_v) + b_o with softmax weights of content / sqrt(dim) + bias, pair
// by pair; then a norm where the shape has one after attention.
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
      const double logit =
          fast_logit(content, 0, at_s, at_t, affine(layer.query, layer.query_bias, x.row(s)),
                     affine(layer.key, layer.key_bias, x.row(t)));
      const double weight = std::exp(scale * logit + bias);
      const Vector value = affine(layer.value, layer.value_bias, x.row(t));
      sum += weight;
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += weight * value[i];
    }
    for (double& m : mean) m /= sum;
    const Vector out = affine(layer.output, layer.output_bias, mean);
    for (std::size_t i = 0; i < out.size(); ++i) result.row(s)[i] += out[i];
    if (shape.norm == NormPlace::kAfter)
      norm(result.row(s), layer.attention_gain, layer.attention_shift);
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

  void expect_one_by_one(const TransformerShape& shape) const {
    Transformer model = Transformer::random(shape, 3);
    TransformerLayer& layer = model.layers.front();
    std::uint64_t stream = 20;
    for (Vector* bias : {&layer.query_bias, &layer.key_bias, &layer.value_bias, &layer.output_bias})
      *bias = random_vector(shape.dim, stream++);
    Matrix x = tokens();
    const Matrix fast = forward(model, effects_, x);
    if (effects_.input) {
      const Matrix rows = input_rows(*effects_.input, extent_, Positions::range(kLength));
      for (std::size_t i = 0; i < rows.values().size(); ++i) x.values()[i] += rows.values()[i];
    }
    const Matrix slow = by_hand(layer, shape, effects_, x);
    for (std::size_t i = 0; i < fast.values().size(); ++i)
      ASSERT_NEAR(fast.values()[i], slow.values()[i],
                  kForwardRounding * (1.0 + std::abs(slow.values()[i])));
  }

  std::unique_ptr<Encoding> encoding_ = make_subject(GetParam());
  Extent extent_ = extent_for(*encoding_);
  Effects effects_ = encoding_->effects(extent_);
};

TEST_P(TransformerLaws, OneHeadEqualsItsLogitsOneByOne) {
  const bool must_mask = encoding_->claims().needs_causal_mask == Claim::kYes;
  for (const bool causal : {must_mask, true})
    for (const NormPlace place : {NormPlace::kNone, NormPlace::kAfter})
      expect_one_by_one({.layers = 1,
                         .dim = kExtent.dim,
                         .heads = 1,
                         .hidden = 0,
                         .norm = place,
                         .causal = causal});
}

INSTANTIATE_TEST_SUITE_P(All, TransformerLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sextant
