// SPDX-License-Identifier: Apache-2.0
#include "io/csv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "base/text.h"

namespace sextant {
namespace {

TEST(CsvRows, EndsEachRowWithANewline) {
  const std::vector<double> values = {1.0, 2.5, -3.0, 0.0, 1e-300, 500000.0};
  EXPECT_EQ(csv_rows(values, 3), "1,2.5,-3\n0,1e-300,500000\n");
  EXPECT_EQ(csv_rows(values, 6), "1,2.5,-3,0,1e-300,500000\n");
  EXPECT_EQ(csv_rows(std::span<const double>(), 3), "");
}

TEST(CsvRows, PrintsTheShortestDecimalOfTheStoredType) {
  EXPECT_EQ(csv_rows(std::vector<float>{0.1f, 1.0f / 3.0f}, 2), "0.1,0.33333334\n");
  EXPECT_EQ(csv_rows(std::vector<double>{0.1, 1.0 / 3.0}, 2), "0.1,0.3333333333333333\n");
}

TEST(CsvRows, WritesAMaskAsMinusInfinity) {
  EXPECT_EQ(csv_rows(std::vector<float>{-std::numeric_limits<float>::infinity()}, 1), "-inf\n");
}

TEST(CsvRows, JoinsFromPieces) {
  const std::vector<double> values = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  const std::span<const double> all(values);
  EXPECT_EQ(csv_rows(all.first(2), 2) + csv_rows(all.subspan(2), 2), csv_rows(all, 2));
}

TEST(CsvRows, ReadsBackToTheSameBits) {
  const Rng rng(3, 0);
  std::vector<float> values(999);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(static_cast<float>(rng.normal(i)), static_cast<int>(i % 200) - 100);
  const std::string text = csv_rows(values, 3);
  std::size_t at = 0;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    for (const std::string_view field : split(line, ','))
      EXPECT_EQ(std::strtof(std::string(field).c_str(), nullptr), values[at++]) << field;
  }
  EXPECT_EQ(at, values.size());
}

}  // namespace
}  // namespace sextant
