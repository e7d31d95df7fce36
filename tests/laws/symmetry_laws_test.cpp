// SPDX-License-Identifier: Apache-2.0
// Residual symmetries: what an encoding leaves undecided, and therefore cannot learn. They are read
// off two layers of plain attention in double, for every encoding.
#include <gtest/gtest.h>

#include <algorithm>

#include "laws/subjects.h"
#include "sextant/transformer.h"

namespace sextant {
namespace {

constexpr double kSymmetryRounding = 1e-12;
constexpr Index kSymmetryLength = 9;
constexpr NormPlace kPlaces[] = {NormPlace::kNone, NormPlace::kAfter};

double largest_difference(const Matrix& a, const Matrix& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.values().size(); ++i)
    worst = std::max(worst, std::abs(a.values()[i] - b.values()[i]));
  return worst;
}

Matrix reversed(const Matrix& x) {
  Matrix result(x.rows(), x.cols());
  for (Index s = 0; s < x.rows(); ++s)
    std::ranges::copy(x.row(s), result.row(x.rows() - 1 - s).begin());
  return result;
}

class SymmetryLaws : public testing::TestWithParam<std::string> {
 protected:
  // Single-head attention with the identity for every projection.
  Matrix two_layers(const Matrix& x, NormPlace norm, bool causal) const {
    TransformerLayer layer;
    for (Matrix* weights : {&layer.query, &layer.key, &layer.value, &layer.output})
      *weights = Matrix::identity(extent_.dim);
    layer.attention_gain = Vector(static_cast<std::size_t>(extent_.dim), 1.0);
    layer.attention_shift = Vector(static_cast<std::size_t>(extent_.dim), 0.0);
    const TransformerShape shape{
        .dim = extent_.dim, .heads = 1, .hidden = 0, .norm = norm, .causal = causal};
    return forward({.shape = shape, .layers = {layer, layer}}, effects_, x);
  }

  Matrix random_sequence() const {
    Matrix x(kSymmetryLength, extent_.dim);
    std::ranges::copy(random_vector(kSymmetryLength * extent_.dim, 100), x.values().begin());
    return x;
  }

  std::unique_ptr<Encoding> encoding_ = make_subject(GetParam());
  Extent extent_ = extent_for(*encoding_);
  Effects effects_ = encoding_->effects(extent_);
  bool causal_ = encoding_->claims().needs_causal_mask == Claim::kYes;
};

// An encoding that acts on logits alone maps equal tokens to equal outputs, with any mask: values
// carry no position. Rows do.
TEST_P(SymmetryLaws, ConstantSequencesStayConstantUnlessRowsAreAdded) {
  Matrix x(kSymmetryLength, extent_.dim);
  for (Index s = 0; s < kSymmetryLength; ++s)
    std::ranges::copy(random_vector(extent_.dim, 5), x.row(s).begin());
  for (const NormPlace norm : kPlaces) {
    for (const bool causal : {causal_, true}) {
      const Matrix y = two_layers(x, norm, causal);
      Matrix first(y.rows(), y.cols());
      for (Index s = 0; s < kSymmetryLength; ++s) std::ranges::copy(y.row(0), first.row(s).begin());
      EXPECT_EQ(largest_difference(y, first) <= kSymmetryRounding, !effects_.input.has_value());
    }
  }
}

// Forms that are even in the lag cannot tell a sequence from its reversal, when nothing is masked.
TEST_P(SymmetryLaws, EvenRelativeFormsLeaveReversal) {
  if (causal_) GTEST_SKIP() << "needs a mask, which breaks reversal by itself";
  double odd_part = 0.0;
  for (Index s = 0; s < kSymmetryLength; ++s)
    for (Index t = 0; t < kSymmetryLength; ++t)
      odd_part = std::max(
          odd_part,
          distance(pair_form(effects_, extent_, 0, static_cast<double>(s), static_cast<double>(t)),
                   pair_form(effects_, extent_, 0, static_cast<double>(kSymmetryLength - 1 - s),
                             static_cast<double>(kSymmetryLength - 1 - t))));
  const Matrix x = random_sequence();
  for (const NormPlace norm : kPlaces) {
    const Matrix forth = reversed(two_layers(x, norm, false)),
                 back = two_layers(reversed(x), norm, false);
    EXPECT_EQ(largest_difference(forth, back) <= kSymmetryRounding, odd_part <= kSymmetryRounding);
  }
}

TEST(ResidualSymmetry, SymmetricBiasesAreAmongTheEvenForms) {
  for (const char* spec : {"none", "alibi", "kerple", "sandwich"}) {
    const auto effects = encodings().make(spec)->effects(kExtent);
    EXPECT_EQ(distance(pair_form(effects, kExtent, 0, 7.0, 2.0),
                       pair_form(effects, kExtent, 0, 2.0, 7.0)),
              0.0)
        << spec;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SymmetryLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sextant
