// SPDX-License-Identifier: Apache-2.0
// The kernels' biases are those of the encoding, pair by pair, for every encoding that has some.
#include <gtest/gtest.h>

#include "sextant/bias.h"
#include "subjects.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

class BiasLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Encoding> encoding_ = make_subject(GetParam());
  Extent extent_ = extent_for(*encoding_);
  Effects effects_ = encoding_->effects(extent_);
};

TEST_P(BiasLaws, RowsAreTheBiasOfEachPairRoundedOnce) {
  if (!effects_.logit || !effects_.logit->depends_on_lag_only) {
    expect_error(ErrorCode::kUsage, effects_.logit ? "more than the lag" : "has no bias",
                 [&] { BiasRows(*encoding_, extent_.heads, extent_.positions, extent_.dim); });
    return;
  }
  const BiasRows rows(*encoding_, extent_.heads, extent_.positions, extent_.dim);
  const Index n = extent_.positions, first_query = 5, first_key = 2;
  const Index queries = n - first_query, keys = n - first_key - 1;
  std::vector<float> all(static_cast<std::size_t>(extent_.heads * queries * keys));
  rows.fill(first_query, queries, first_key, keys, all);
  const float* found = all.data();
  for (Index h = 0; h < extent_.heads; ++h) {
    for (Index i = 0; i < queries; ++i) {
      std::vector<float> added(static_cast<std::size_t>(keys), 0.5f);
      rows.add_to({.data = added.data(),
                   .rows = 1,
                   .cols = keys,
                   .stride = keys,
                   .head = h,
                   .first_query = first_query + i,
                   .first_key = first_key});
      for (Index j = 0; j < keys; ++j, ++found) {
        const auto bias = static_cast<float>(effects_.logit->at(
            h, static_cast<double>(first_query + i), static_cast<double>(first_key + j)));
        ASSERT_EQ(*found, bias) << "head " << h << " query " << i << " key " << j;
        ASSERT_EQ(added[static_cast<std::size_t>(j)], 0.5f + bias);
      }
    }
  }
}

TEST_P(BiasLaws, SlopesAreThoseOfTheLine) {
  if (!effects_.logit || !effects_.logit->depends_on_lag_only) GTEST_SKIP() << "no rows";
  const auto slopes = BiasRows(*encoding_, extent_.heads, extent_.positions, extent_.dim).slopes();
  double worst = 0.0;  // distance from the line through lags 0 and 1, relative
  for (Index h = 0; h < extent_.heads; ++h) {
    const double slope = -effects_.logit->at(h, 1.0, 0.0);
    if (slopes) {
      EXPECT_EQ((*slopes)[static_cast<std::size_t>(h)], static_cast<float>(slope));
    }
    for (Index lag = 0; lag < extent_.positions; ++lag) {
      const double line = -slope * static_cast<double>(lag);
      const double value = effects_.logit->at(h, static_cast<double>(lag), 0.0);
      worst = std::max(worst, std::abs(value - line) / (std::abs(line) + 1e-300));
    }
  }
  EXPECT_EQ(slopes.has_value(), worst < 1e-6) << worst;
}

INSTANTIATE_TEST_SUITE_P(All, BiasLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sextant
