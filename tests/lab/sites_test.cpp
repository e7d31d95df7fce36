// SPDX-License-Identifier: Apache-2.0
// Sites as tensors against the definition of the logit, pair by pair.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/sites.h"
#include "laws/subjects.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

torch::Tensor random_tensor(std::vector<std::int64_t> sizes, std::uint64_t stream) {
  const torch::Tensor shape = torch::empty(sizes, torch::kDouble);
  return to_torch(random_vector(shape.numel(), stream), torch::kDouble).view(sizes);
}

// The largest difference between logits and pair_form() / sqrt(w) + b over the pairs that exist,
// relative to the largest logit; of every step-th query.
double departure(const std::string& spec, const TransformerShape& shape, Index n, Index step = 1,
                 torch::ScalarType type = torch::kDouble) {
  const auto encoding = make_subject(spec, shape.dim / shape.heads);
  Effects effects = transformer_effects(*encoding, shape, n);
  effects.input.reset();
  const Index w = shape.dim / shape.heads;
  const torch::Tensor q = random_tensor({2, shape.heads, n, w}, 1).to(type);
  const torch::Tensor k = random_tensor({2, shape.heads, n, w}, 2).to(type);
  const torch::Tensor logits = attention_logits(q, k, site_tensors(effects, shape, n, type));
  const std::optional<LogitBias> bias = std::exchange(effects.logit, std::nullopt);
  const Extent extent{.positions = n, .dim = w, .heads = shape.heads};
  double largest = 1.0, worst = 0.0;
  for (Index h = 0; h < shape.heads; ++h)
    for (Index s = n - 1; s >= 0; s -= step)
      for (Index t = 0; t < (shape.causal ? s + 1 : n); ++t) {
        const auto at_s = static_cast<double>(s), at_t = static_cast<double>(t);
        const PairForm form = pair_form(effects, extent, h, at_s, at_t);
        const double content =
            form(to_vector(q[1][h][s]), to_vector(k[1][h][t])) / std::sqrt(static_cast<double>(w));
        const double expected = content + (bias ? bias->at(h, at_s, at_t) : 0.0);
        const double value = logits[1][h][s][t].item<double>();
        if (value == expected) continue;  // -infinity among them
        if (!std::isfinite(value)) return kInfinity;
        largest = std::max(largest, std::abs(expected));
        worst = std::max(worst, std::abs(value - expected));
      }
  return worst / largest;
}

class SiteTensorLaws : public testing::TestWithParam<std::string> {};

TEST_P(SiteTensorLaws, LogitsAreThoseOfThePairForm) {
  const auto encoding = make_subject(GetParam());
  const Index heads = std::max<Index>(1, encoding->heads());
  const TransformerShape shape{.dim = kExtent.dim * heads,
                               .heads = heads,
                               .causal = encoding->claims().needs_causal_mask == Claim::kYes};
  EXPECT_LT(departure(GetParam(), shape, 7), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, SiteTensorLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

TEST(SiteTensors, KeepTheirDigitsPastAChunk) {
  const TransformerShape shape{.dim = 8, .heads = 2, .causal = true};
  for (const char* spec : {"rope", "xpos", "jordan", "spiral"})
    EXPECT_LT(departure(spec, shape, 2 * kKeyChunk + 3, 37), 1e-10) << spec;
  // e^-199 is below the smallest float, and e^199 above the largest.
  for (const char* spec : {"decay(rate=1)", "spiral(rate=0.5)"}) {
    EXPECT_LT(departure(spec, shape, 200, 37), 1e-10) << spec;
    EXPECT_LT(departure(spec, shape, 200, 37, torch::kFloat), 1e-5) << spec;
  }
}

TEST(SiteTensors, MapsThatKeepNormsNeedNoChunks) {
  const TransformerShape shape{.dim = 8, .heads = 1};
  const auto maps = [&](const char* spec, Index n) {
    return site_tensors(transformer_effects(*encodings().make(spec), shape, n), shape, n,
                        torch::kDouble)
        .query_map.values;
  };
  EXPECT_EQ(maps("rope", 2 * kKeyChunk).dim(), 3);
  EXPECT_EQ(maps("jordan", kKeyChunk).dim(), 3);
  EXPECT_EQ(maps("jordan", 2 * kKeyChunk).size(0), 2);
  EXPECT_EQ(maps("rope(scaling=yarn,factor=8,original=2048)", 2 * kKeyChunk).dim(), 3)
      << "a constant magnitude";
  EXPECT_EQ(maps("spiral", 2 * kKeyChunk).dim(), 4) << "the same decay everywhere";
  EXPECT_EQ(maps("decay(rate=1)", 2 * kKeyChunk).dim(), 4) << "decayed to nothing";
}

TEST(SiteTensors, MapsOfFewDiagonalsAreKeptByThese) {
  const TransformerShape shape{.dim = 16, .heads = 1};
  const auto offsets = [&](const char* spec) {
    return site_tensors(transformer_effects(*encodings().make(spec), shape, 5), shape, 5,
                        torch::kDouble)
        .query_map.offsets;
  };
  EXPECT_EQ(offsets("rope(pairing=half)"), (std::vector<Index>{0, 8}));
  EXPECT_EQ(offsets("rope(pairing=interleaved)"), (std::vector<Index>{0, 1, 15}));
  EXPECT_EQ(offsets("decay"), (std::vector<Index>{0}));
  EXPECT_TRUE(offsets("grape").empty()) << "dense";
}

TEST(SiteTensors, OffsetsThatDependOnThePairAreKeptByPair) {
  const TransformerShape shape{.dim = 4, .heads = 2};
  const auto effects = [](Vector (*u)(double s, double t)) {
    return Effects{
        .key_offset = KeyOffset{.at = [u](Index head, double s, double t) {
          return LinearTerms{.u = u(s, t), .v = {0.0, s * t}, .c = static_cast<double>(head)};
        }}};
  };
  const Effects wide = effects([](double s, double t) { return Vector{s, t, 0.0}; });
  expect_error(ErrorCode::kUsage, "offsets must have width 2",
               [&] { site_tensors(wide, shape, 3, torch::kDouble); });
  const Effects fits = effects([](double s, double t) { return Vector{s, t}; });
  const SiteTensors sites = site_tensors(fits, shape, 3, torch::kDouble);
  ASSERT_EQ(sites.query_terms.dim(), 4);
  const torch::Tensor ones = torch::ones({1, 2, 3, 2}, torch::kDouble);
  const torch::Tensor logits = attention_logits(ones, ones, sites);
  for (Index h = 0; h < 2; ++h)
    for (Index s = 0; s < 3; ++s)
      for (Index t = 0; t < 3; ++t)
        EXPECT_NEAR(logits[0][h][s][t].item<double>(),
                    static_cast<double>(2 + s + t + s * t + h) / std::sqrt(2.0), 1e-14);
}

TEST(SiteTensors, TermsByLagAndByPairAddUp) {
  const Index n = 3;
  const SiteTensors by_lag{.query_terms = random_tensor({1, 2 * n - 1, 2}, 3)};
  const SiteTensors by_pair{.query_terms = random_tensor({2, n, n, 2}, 4)};
  const torch::Tensor q = random_tensor({1, 2, n, 2}, 5);
  const torch::Tensor none = attention_logits(q, q, {});
  const torch::Tensor sum = attention_logits(q, q, by_lag) + attention_logits(q, q, by_pair) - none;
  EXPECT_TRUE(torch::allclose(attention_logits(q, q, by_lag + by_pair), sum, 1e-12, 1e-12));
}

TEST(SiteTensors, TwoMapsAreRefused) {
  const SiteTensors map{.query_map = {.values = torch::ones({1, 1, 1})}};
  expect_error(ErrorCode::kUsage, "one encoding", [&] { map + map; });
}

TEST(SiteTensors, BeyondTwoGigabytesAreRefusedBeforeTheyAreMade) {
  const TransformerShape shape{.dim = 8, .heads = 1};
  const Effects effects = transformer_effects(*encodings().make("alibi"), shape, 20000);
  expect_error(ErrorCode::kRefused, "3.2 GB",
               [&] { site_tensors(effects, shape, 20000, torch::kDouble); });
}

TEST(AttentionWeights, OfAQueryWithoutKeysAreZeroAndSoAreItsGradients) {
  torch::Tensor logits = torch::zeros({1, 1, 2, 2}, torch::kDouble);
  logits.set_requires_grad(true);
  const torch::Tensor bias =
      torch::tensor({{-kInfinity, -kInfinity}, {0.0, -kInfinity}}, torch::kDouble);
  const torch::Tensor weights = attention_weights(logits + bias, pair_mask({}, bias));
  EXPECT_TRUE(torch::equal(weights[0][0], torch::tensor({{0.0, 0.0}, {1.0, 0.0}}, torch::kDouble)));
  (weights * weights).sum().backward();
  EXPECT_TRUE(torch::equal(logits.grad(), torch::zeros_like(logits)));
}

TEST(AttentionWeights, HiddenPairsDoNotExist) {
  const torch::Tensor logits = torch::tensor({{0.0, std::log(3.0), 5.0}}, torch::kDouble);
  const torch::Tensor hidden = torch::tensor({{false, false, true}});
  const torch::Tensor weights = attention_weights(logits.view({1, 1, 1, 3}), pair_mask(hidden, {}));
  EXPECT_TRUE(torch::allclose(weights.view({3}), torch::tensor({0.25, 0.75, 0.0}, torch::kDouble)));
}

}  // namespace
}  // namespace sextant
