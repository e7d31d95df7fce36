// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "measure/made_numbers.h"
#include "measure/made_text.h"
#include "measure/stored_records.h"

namespace sextant {
namespace {

TEST(MadeNumbers, ColumnsWithoutMassStandEverywhere) {
  const SparseColumns dense = zipf_columns(7, 5, 0.0);
  EXPECT_EQ(dense.columns(), 5);
  EXPECT_EQ(dense.value.size(), 35U);
  const SparseColumns sparse = zipf_columns(200, 400, 10.0);
  const double share = 1.0 - std::exp(-10.0 / 400.0);
  const auto last = static_cast<double>(sparse.starts[400] - sparse.starts[399]);
  EXPECT_LT(last, 200.0 * share + 6.0 * std::sqrt(200.0 * share)) << "six deviations";
  const Vector written = written_out(sparse);
  EXPECT_EQ(written.size(), 80000U);
  EXPECT_NEAR(std::accumulate(written.begin(), written.end(), 0.0),
              std::accumulate(sparse.value.begin(), sparse.value.end(), 0.0), 1e-9);
  EXPECT_EQ(written[sparse.row[0]], sparse.value[0]);
}

TEST(MadeNumbers, GramMatricesAreSymmetric) {
  const Matrix b = noisy_gram(20, 1.0);
  for (Index i = 0; i < 20; ++i) {
    EXPECT_GT(b(i, i), 0.0);
    for (Index j = 0; j < i; ++j) EXPECT_EQ(b(i, j), b(j, i));
  }
}

TEST(MadeNumbers, SinusoidsLieOnSpheres) {
  const Matrix points = made_points(9, 6, PointCloud::kSinusoids);
  for (Index i = 0; i < 9; ++i) {
    double squared = 0.0;
    for (const double value : points.row(i)) squared += value * value;
    EXPECT_NEAR(squared, 3.0, 1e-14);
  }
  EXPECT_NE(made_points(2, 2, PointCloud::kGaussian)(0, 0), 0.0);
}

// |X X^T - X^T X|.
double commutator(const Matrix& x) {
  double most = 0.0;
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      double sum = 0.0;
      for (Index k = 0; k < x.rows(); ++k) sum += x(i, k) * x(j, k) - x(k, i) * x(k, j);
      most = std::max(most, std::abs(sum));
    }
  }
  return most;
}

TEST(MadeNumbers, OneGeneratorIsNormalAndTheOtherIsNot) {
  EXPECT_LT(commutator(normal_generator(8)), 1e-14);
  EXPECT_GT(commutator(general_generator(8)), 1e-3);
}

TEST(MadeText, IsAsciiInLinesOfKnownWords) {
  const std::vector<std::string> words = made_words(100);
  EXPECT_EQ(words.size(), 100U);
  const std::string text = made_text(words, 5000);
  EXPECT_GE(text.size(), 5000U);
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c > 0; }));
  EXPECT_EQ(text, made_text(words, 5000));
  const std::set<std::string> known(words.begin(), words.end());
  std::string word;
  std::size_t lines = 0;
  for (const char c : text) {
    if (c == '\n') ++lines;
    if (c != ' ' && c != '.' && c != '\n') {
      word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    } else if (!word.empty()) {
      EXPECT_TRUE(known.contains(word)) << word;
      word.clear();
    }
  }
  EXPECT_GE(lines, 2U);
}

TEST(MadeText, HasPiecesForEveryWord) {
  const std::vector<std::string> pieces = made_wordpieces();
  const std::set<std::string> known(pieces.begin(), pieces.end());
  EXPECT_EQ(known.size(), pieces.size()) << "none stands twice";
  for (const char* piece : {"[UNK]", ".", "a", "z", "##a", "##z"})
    EXPECT_TRUE(known.contains(piece)) << piece;
}

TEST(StoredRecords, AreTheLinesOfAText) {
  const std::vector<RecordBatch> batches = line_records("one two\n\nthree\n");
  ASSERT_EQ(batches.size(), 1U);
  for (int round = 0; round < 2; ++round) {
    StoredRecords records(batches);
    RecordBatch batch;
    ASSERT_TRUE(records.next(batch));
    ASSERT_EQ(batch.records.size(), 3U);
    EXPECT_EQ(batch.text(batch.records[0]), "one two");
    EXPECT_EQ(batch.text(batch.records[1]), "");
    EXPECT_EQ(batch.text(batch.records[2]), "three");
    EXPECT_FALSE(records.next(batch));
  }
}

}  // namespace
}  // namespace sextant
