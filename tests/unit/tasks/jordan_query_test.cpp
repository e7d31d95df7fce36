// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "support/enumeration.h"

namespace sextant {
namespace {

const double kFrequency = std::pow(1e4, -6.0 / 64.0);  // w_3 of 32 pairs

double jordan(double lag) { return lag / 50.0 * std::cos(kFrequency * lag); }

// Mean squares about the means of groups.
double within(const std::map<Index, std::vector<double>>& groups) {
  double squares = 0.0, number = 0.0;
  for (const auto& [key, values] : groups) {
    double mean = 0.0;
    for (const double x : values) mean += x / static_cast<double>(values.size());
    for (const double x : values) squares += (x - mean) * (x - mean);
    number += static_cast<double>(values.size());
  }
  return squares / number;
}

TEST(JordanQuery, TargetsAreFunctionsOfTheLagToTheKey) {
  const Batch batch = tasks().make("jordan_query")->sample(1, 0, 20, 30);
  for (std::size_t i = 0; i < 20; ++i) {
    double key = -1.0;
    for (std::size_t s = 0; s < 30; ++s) {
      const double number = batch.numbers[30 * i + s];
      if (batch.tokens[30 * i + s] == 0) {
        EXPECT_EQ(key, -1.0) << "two keys";
        key = static_cast<double>(s);
      }
      if (key < 0.0) {
        EXPECT_TRUE(std::isnan(number));
      } else {
        EXPECT_NEAR(number, jordan(static_cast<double>(s) - key), 1e-14);
      }
    }
    EXPECT_GE(key, 0.0);
  }
}

TEST(JordanQuery, BaselinesAreThoseOfAllPairs) {
  const std::pair<const char*, std::function<double(double)>> cases[] = {
      {"jordan_query", jordan},
      {"jordan_query(target=cosine)", [](double lag) { return std::cos(kFrequency * lag); }},
      {"jordan_query(target=ramp)", [](double lag) { return -lag / 50.0; }}};
  for (const auto& [spec, target] : cases) {
    const auto task = tasks().make(spec);
    for (const Index n : {1, 2, 3, 40}) {
      std::map<Index, std::vector<double>> all, by_position, by_key;
      for (Index t = 0; t < n; ++t) {
        for (Index s = t; s < n; ++s) {
          const double value = target(static_cast<double>(s - t));
          all[0].push_back(value);
          by_position[s].push_back(value);
          by_key[s == t ? 1 : 0].push_back(value);
        }
      }
      EXPECT_NEAR(baseline(*task, n, "best constant"), within(all), 1e-13) << spec << " " << n;
      EXPECT_NEAR(baseline(*task, n, "position only"), within(by_position), 1e-13) << spec;
      EXPECT_NEAR(baseline(*task, n, "best equivariant"), within(by_key), 1e-13) << spec;
    }
  }
}

}  // namespace
}  // namespace sextant
