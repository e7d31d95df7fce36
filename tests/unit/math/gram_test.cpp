// SPDX-License-Identifier: Apache-2.0
#include "math/gram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "sextant/error.h"

namespace sextant {
namespace {

// Columns of all densities: column v stands in about `rows` / (1 + v / 8) rows.
SparseColumns mixed_columns(Index rows, Index columns, std::uint64_t seed) {
  const Rng rng(seed, 2);
  SparseColumns s;
  s.rows = rows;
  std::uint64_t counter = 0;
  for (Index v = 0; v < columns; ++v) {
    const double share = 1.0 / (1.0 + static_cast<double>(v) / 8.0);
    for (Index i = 0; i < rows; ++i) {
      if (rng.uniform(counter++) >= share) continue;
      s.row.push_back(static_cast<std::uint32_t>(i));
      s.value.push_back(0.1 + rng.uniform(counter++));
    }
    s.starts.push_back(s.row.size());
  }
  return s;
}

// Rows `from` and `to` become equal.
SparseColumns with_equal_rows(const SparseColumns& s, std::uint32_t from, std::uint32_t to) {
  SparseColumns result;
  result.rows = s.rows;
  for (std::size_t v = 0; v + 1 < s.starts.size(); ++v) {
    Vector line(static_cast<std::size_t>(s.rows));
    for (std::size_t k = s.starts[v]; k < s.starts[v + 1]; ++k) line[s.row[k]] = s.value[k];
    line[to] = line[from];
    for (std::uint32_t i = 0; i < line.size(); ++i) {
      if (line[i] == 0.0) continue;
      result.row.push_back(i);
      result.value.push_back(line[i]);
    }
    result.starts.push_back(result.row.size());
  }
  return result;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    worst =
        std::max(worst, std::abs(a.values()[i] - b.values()[i]) / (1.0 + std::abs(b.values()[i])));
  }
  return worst;
}

bool same_bits(const Matrix& a, const Matrix& b) {
  return std::equal(a.values().begin(), a.values().end(), b.values().begin(), b.values().end());
}

TEST(Gram, IsThePlainSumOfProducts) {
  for (const Index rows : {1, 2, 7, 130, 600}) {
    const SparseColumns s = mixed_columns(rows, 300, 11);
    EXPECT_LT(largest_difference(gram(s), plain_cross_gram(s, s)), 1e-12) << rows;
  }
}

TEST(Gram, IsSymmetricToTheBit) {
  const Matrix g = gram(mixed_columns(530, 400, 3));
  for (Index i = 0; i < g.rows(); ++i) {
    for (Index j = 0; j < i; ++j) ASSERT_EQ(g(i, j), g(j, i));
  }
}

TEST(Gram, HasTheSameBitsForAnyNumberOfThreads) {
  const SparseColumns s = mixed_columns(700, 900, 4), t = mixed_columns(700, 900, 5);
  EXPECT_TRUE(same_bits(gram(s, 1), gram(s, 3)));
  EXPECT_TRUE(same_bits(cross_gram(s, t, 1), cross_gram(s, t, 3)));
}

TEST(Gram, GivesEqualRowsTheDistanceZero) {
  // 700 rows: the last tile is narrower, and row 699 is its last.
  const SparseColumns s = with_equal_rows(mixed_columns(700, 900, 6), 3, 699);
  const Matrix g = gram(s);
  EXPECT_EQ(g(3, 3) + g(699, 699) - 2.0 * g(3, 699), 0.0);
  for (Index j = 0; j < 700; ++j) ASSERT_EQ(g(3, j), g(699, j));
}

TEST(Gram, OfDisjointLawsIsDiagonal) {
  SparseColumns s;
  s.rows = 40;
  for (std::uint32_t i = 0; i < 40; ++i) {
    s.row.push_back(i);
    s.value.push_back(1.0);
    s.starts.push_back(s.row.size());
  }
  const Matrix g = gram(s), identity = Matrix::identity(40);
  EXPECT_TRUE(same_bits(g, identity));  // so the Hellinger distance is sqrt(1 + 1)
}

TEST(Gram, OfNoColumnsIsZero) {
  SparseColumns s;
  s.rows = 3;
  EXPECT_TRUE(same_bits(gram(s), Matrix(3, 3)));
  s.rows = 0;
  EXPECT_EQ(gram(s).rows(), 0);
}

TEST(Gram, RefusesWhatDoesNotFit) {
  SparseColumns s;
  s.rows = Index{1} << 24;  // 2 PB
  try {
    gram(s);
    FAIL() << "expected Error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kRefused);
  }
}

TEST(CrossGram, IsThePlainSumOfProducts) {
  for (const Index rows : {1, 5, 600}) {
    const SparseColumns a = mixed_columns(rows, 300, 7), b = mixed_columns(rows, 300, 8);
    EXPECT_LT(largest_difference(cross_gram(a, b), plain_cross_gram(a, b)), 1e-12) << rows;
  }
}

TEST(CrossGram, OfEqualRowsGivesACrossValidatedDistanceOfZero) {
  const SparseColumns a = with_equal_rows(mixed_columns(600, 500, 9), 2, 599);
  const SparseColumns b = mixed_columns(600, 500, 10);
  for (const Matrix& g : {cross_gram(a, b), cross_gram(b, a)}) {
    EXPECT_EQ((g(2, 2) + g(599, 599)) - (g(2, 599) + g(599, 2)), 0.0);
  }
}

TEST(CrossGram, RejectsMatricesOfDifferentShape) {
  const SparseColumns a = mixed_columns(4, 10, 1), b = mixed_columns(5, 10, 1);
  EXPECT_THROW(cross_gram(a, b), Error);
}

}  // namespace
}  // namespace sextant
