// SPDX-License-Identifier: Apache-2.0
// Residual symmetries: what an encoding leaves undecided, and therefore cannot learn. They are read
// off two layers of plain attention in double, for every encoding.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "laws/subjects.h"

namespace sextant {
namespace {

constexpr double kRounding = 1e-12;
constexpr Index kLength = 9;

using Sequence = std::vector<Vector>;

// Single-head attention with the identity for every projection, and the input added again.
Sequence attend(const Effects& effects, const Sequence& x, bool causal) {
  Sequence result;
  for (std::size_t s = 0; s < x.size(); ++s) {
    Vector logits;
    for (std::size_t t = 0; t < x.size(); ++t) {
      const bool masked = causal && t > s;
      logits.push_back(masked ? -std::numeric_limits<double>::infinity()
                              : fast_logit(effects, 0, static_cast<double>(s),
                                           static_cast<double>(t), x[s], x[t]));
    }
    const double top = *std::max_element(logits.begin(), logits.end());
    double sum = 0.0;
    Vector out(x[s].size());
    for (std::size_t t = 0; t < x.size(); ++t) {
      const double weight = std::exp(logits[t] - top);
      sum += weight;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += weight * x[t][i];
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = x[s][i] + out[i] / sum;
    result.push_back(std::move(out));
  }
  return result;
}

// Rows are added once, before the first layer; later layers see the other sites only.
Sequence two_layers(const Effects& effects, const Extent& extent, Sequence x, bool causal) {
  Effects later = effects;
  later.input.reset();
  if (effects.input) {
    const Matrix rows = input_rows(*effects.input, extent, Positions::range(kLength));
    for (Index t = 0; t < kLength; ++t)
      for (Index i = 0; i < extent.dim; ++i)
        x[static_cast<std::size_t>(t)][static_cast<std::size_t>(i)] += rows(t, i);
  }
  return attend(later, attend(later, x, causal), causal);
}

double largest_difference(const Sequence& a, const Sequence& b) {
  double worst = 0.0;
  for (std::size_t s = 0; s < a.size(); ++s)
    for (std::size_t i = 0; i < a[s].size(); ++i)
      worst = std::max(worst, std::abs(a[s][i] - b[s][i]));
  return worst;
}

class SymmetryLaws : public testing::TestWithParam<std::string> {
 protected:
  Sequence random_sequence() const {
    Sequence x;
    for (Index t = 0; t < kLength; ++t) {
      x.push_back(random_vector(extent_.dim, static_cast<std::uint64_t>(100 + t)));
      for (double& v : x.back()) v *= 0.3;
    }
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
  const Sequence x(static_cast<std::size_t>(kLength), random_vector(extent_.dim, 5));
  for (const bool causal : {causal_, true}) {
    const Sequence y = two_layers(effects_, extent_, x, causal);
    const Sequence first(y.size(), y.front());
    EXPECT_EQ(largest_difference(y, first) <= kRounding, !effects_.input.has_value());
  }
}

// Forms that are even in the lag cannot tell a sequence from its reversal, when nothing is masked.
TEST_P(SymmetryLaws, EvenRelativeFormsLeaveReversal) {
  if (causal_) GTEST_SKIP() << "needs a mask, which breaks reversal by itself";
  double odd_part = 0.0;
  for (Index s = 0; s < kLength; ++s)
    for (Index t = 0; t < kLength; ++t)
      odd_part = std::max(
          odd_part,
          distance(pair_form(effects_, extent_, 0, static_cast<double>(s), static_cast<double>(t)),
                   pair_form(effects_, extent_, 0, static_cast<double>(kLength - 1 - s),
                             static_cast<double>(kLength - 1 - t))));
  Sequence x = random_sequence();
  Sequence forward = two_layers(effects_, extent_, x, false);
  std::reverse(x.begin(), x.end());
  const Sequence backward = two_layers(effects_, extent_, x, false);
  std::reverse(forward.begin(), forward.end());
  EXPECT_EQ(largest_difference(forward, backward) <= kRounding, odd_part <= kRounding);
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
