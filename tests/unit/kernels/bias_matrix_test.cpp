// SPDX-License-Identifier: Apache-2.0
#include "kernels/bias_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/rounding.h"
#include "sextant/error.h"

namespace sextant {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

LogitBias alibi() {
  return {.at = [](Index head, double s, double t) {
    return -std::ldexp(std::abs(s - t), -static_cast<int>(head) - 1);
  }};
}

template <typename T>
std::vector<T> filled(const LogitBias& bias, Index heads, const Positions& positions,
                      Index threads = 1) {
  const Index n = positions.size();
  std::vector<T> out(static_cast<std::size_t>(heads * n * n), T{7});
  fill_bias_matrix(bias, heads, positions, threads, std::span<T>(out));
  return out;
}

std::vector<double> plain(const LogitBias& bias, Index heads, const Positions& positions) {
  const Index n = positions.size();
  std::vector<double> out(static_cast<std::size_t>(heads * n * n));
  fill_bias_matrix_plain(bias, heads, positions, out);
  return out;
}

TEST(BiasMatrix, QueryComesBeforeKey) {
  const LogitBias lag = {.at = [](Index, double s, double t) { return s - t; }};
  EXPECT_EQ(filled<double>(lag, 1, Positions::range(3)),
            (std::vector<double>{0, -1, -2, 1, 0, -1, 2, 1, 0}));
}

TEST(BiasMatrix, SlicesOfTheLagListEqualTheBiasOfEachPair) {
  for (const Index n : {1, 2, 17, 64}) {
    for (const double offset : {0.0, -5.0, 1000.0}) {
      const Positions positions = Positions::range(n, offset);
      EXPECT_EQ(filled<double>(alibi(), 3, positions), plain(alibi(), 3, positions)) << n;
    }
  }
}

TEST(BiasMatrix, AsksForEveryPairWhenTheLagIsNotEnough) {
  const LogitBias absolute = {
      .at = [](Index head, double s, double t) { return s * 100 + t + static_cast<double>(head); },
      .depends_on_lag_only = false};
  const Positions range = Positions::range(9);
  EXPECT_EQ(filled<double>(absolute, 2, range), plain(absolute, 2, range));

  Matrix scattered(5, 1);
  for (Index i = 0; i < 5; ++i) scattered(i, 0) = static_cast<double>(i * i);
  const Positions squares = Positions::from(scattered);
  EXPECT_EQ(filled<double>(alibi(), 2, squares), plain(alibi(), 2, squares));
}

TEST(BiasMatrix, ALagIsAskedForOnce) {
  int calls = 0;
  const LogitBias counting = {.at = [&](Index, double, double) {
    ++calls;
    return 0.0;
  }};
  filled<float>(counting, 2, Positions::range(50));
  EXPECT_EQ(calls, 2 * 99);
}

TEST(BiasMatrix, ThreadsDoNotChangeABit) {
  const Positions positions = Positions::range(40);
  const auto one = filled<float>(alibi(), 5, positions);
  for (const Index threads : {2, 3, 7})
    EXPECT_EQ(filled<float>(alibi(), 5, positions, threads), one);
}

TEST(BiasMatrix, ShortTypesAreRoundedFromDouble) {
  const LogitBias third = {.at = [](Index, double s, double t) { return (s - t) / 3.0; }};
  const Positions positions = Positions::range(6);
  const auto exact = plain(third, 1, positions);
  std::vector<std::uint16_t> half(exact.size());
  fill_bias_matrix(third, 1, positions, 2, ShortType{to_half, from_half}, half);
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_EQ(half[i], to_half(exact[i]));
}

TEST(BiasMatrix, MinusInfinityMasks) {
  const LogitBias causal = {
      .at = [](Index, double s, double t) { return t > s ? -kInfinity : 0.0; }};
  EXPECT_EQ(filled<float>(causal, 1, Positions::range(2)),
            (std::vector<float>{0.0f, -std::numeric_limits<float>::infinity(), 0.0f, 0.0f}));
}

void expect_refusal(const LogitBias& bias, const std::string& index) {
  for (const Index threads : {1, 4}) {
    try {
      filled<float>(bias, 2, Positions::range(8), threads);
      FAIL() << "expected Error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kNumeric);
      EXPECT_NE(std::string(error.what()).find(index), std::string::npos) << error.what();
    }
  }
}

TEST(BiasMatrix, NamesTheFirstValueThatIsNotFinite) {
  expect_refusal(
      {.at = [](Index h, double s, double t) { return h == 1 && s - t > 2 ? NAN : 0.0; }},
      "[1, 3, 0]");
  expect_refusal({.at = [](Index, double s, double t) { return t - s == 5 ? kInfinity : 0.0; }},
                 "[0, 0, 5]");
  expect_refusal({.at = [](Index, double s, double t) { return s + t > 9 ? NAN : 0.0; },
                  .depends_on_lag_only = false},
                 "[0, 3, 7]");
}

TEST(BiasMatrix, AFiniteBiasThatOverflowsTheTypeIsNoMask) {
  expect_refusal({.at = [](Index, double s, double t) { return (t - s) * 1e38; }}, "[0, 0, 4]");
}

}  // namespace
}  // namespace sextant
