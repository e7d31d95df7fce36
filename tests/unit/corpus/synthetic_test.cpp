// SPDX-License-Identifier: Apache-2.0
#include "corpus/synthetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "corpus/counter.h"
#include "support/expect_error.h"
#include "support/small_corpus.h"

namespace sextant {
namespace {

constexpr const char* kAll[] = {"synthetic:drift", "synthetic:periodic", "synthetic:blocks"};

TEST(SyntheticCorpus, HasLawsThatSumToOne) {
  for (const char* name : kAll) {
    const Matrix laws = parse_synthetic(name).laws();
    for (Index i = 0; i < laws.rows(); ++i)
      EXPECT_NEAR(std::accumulate(laws.row(i).begin(), laws.row(i).end(), 0.0), 1.0, 1e-14);
  }
}

TEST(SyntheticCorpus, GivesEveryTokenAnExpectedCountOfNine) {
  for (const char* name : kAll) {
    const SyntheticCorpus corpus = parse_synthetic(name);
    const Matrix laws = corpus.laws();
    for (const double p : laws.values()) ASSERT_GE(static_cast<double>(corpus.sequences) * p, 9.0);
  }
}

TEST(SyntheticCorpus, DriftsOnALine) {
  const Matrix laws = parse_synthetic("synthetic:drift(types=7,positions=9)").laws();
  for (Index v = 0; v < 7; ++v) {
    const double rank = static_cast<double>(v + 1);
    EXPECT_NEAR(laws(0, v), laws(0, 0) / rank, 1e-15);
    EXPECT_NEAR(laws(8, v), laws(8, 0) * std::pow(rank, -0.7), 1e-15);
    EXPECT_NEAR(laws(4, v), (laws(0, v) + laws(8, v)) / 2.0, 1e-15);
  }
}

TEST(SyntheticCorpus, ComesRoundAfterAPeriod) {
  // Steps of a period that divides the number of types turn the law by whole types.
  const DistanceMatrix d =
      parse_synthetic("synthetic:periodic(types=24,positions=12,period=6)").distances();
  for (Index i = 0; i < 6; ++i) EXPECT_EQ(d(i, i + 6), 0.0);
  for (Index i = 1; i < 11; ++i) EXPECT_NEAR(d(i, i + 1), d(0, 1), 1e-14);
  EXPECT_NEAR(d(0, 1), d(0, 5), 1e-14);
  EXPECT_GT(d(0, 3), d(0, 2));
}

TEST(SyntheticCorpus, IsConstantWithinABlock) {
  const DistanceMatrix d = parse_synthetic("synthetic:blocks(positions=12,blocks=3)").distances();
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j < 12; ++j) EXPECT_EQ(d(i, j) == 0.0, i / 4 == j / 4) << i << " " << j;
}

// A binomial count stays within 6 standard deviations of its mean, and one for its steps.
TEST(SyntheticCorpus, DrawsTokensByItsLaws) {
  for (const char* name : kAll) {
    const SyntheticCorpus corpus =
        parse_synthetic(std::string(name) + "(types=20,positions=5,period=5,sequences=4000)");
    GrowingWords words;
    const PositionalCounts counts =
        count_corpus(*corpus.records(), words, {.positions = 5, .shuffles = 0}).file.counts;
    EXPECT_EQ(counts.used, 4000);
    EXPECT_EQ(counts.vocabulary, 20);
    Matrix found(5, 20);
    counts.blocks.for_each([&](const Cell& cell) {
      found(cell.position, cell.token) += static_cast<double>(cell.count);
    });
    const Matrix laws = corpus.laws();
    for (Index i = 0; i < 5; ++i) {
      for (Index v = 0; v < 20; ++v) {
        const double p = laws(i, v);
        EXPECT_NEAR(found(i, v), 4000.0 * p, 6.0 * std::sqrt(4000.0 * p * (1.0 - p)) + 1.0)
            << name << " position " << i << " type " << v;
      }
    }
  }
}

TEST(SyntheticCorpus, WritesWordsOfOneWidth) {
  const auto reader = parse_synthetic("synthetic:drift(types=3,positions=2,sequences=2)").records();
  RecordBatch batch;
  ASSERT_TRUE(reader->next(batch));
  ASSERT_EQ(batch.records.size(), 2u);
  for (const auto& record : batch.records) {
    const std::string_view text = batch.text(record);
    ASSERT_EQ(text.size(), 11u);
    EXPECT_EQ(text.substr(0, 4), "w000");
    EXPECT_EQ(text.substr(5, 5), " w000");
  }
  EXPECT_FALSE(reader->next(batch));
  EXPECT_EQ(reader->progress().bytes_read, 22u);
  EXPECT_EQ(reader->progress().bytes_total, 22u);
}

TEST(SyntheticCorpus, RejectsOtherNames) {
  const auto reject = [](const char* text, const char* part) {
    expect_error(ErrorCode::kUsage, part, [&] { parse_synthetic(text); });
  };
  reject("synthetic:waves", "drift, periodic or blocks");
  reject("drift", "synthetic:");
  reject("synthetic:drift(types=0)", "types must be");
  reject("synthetic:drift(types=ten)", "name=integer");
  reject("synthetic:drift(types)", "name=integer");
  reject("synthetic:drift(type=10)", "did you mean 'types'");
  reject("synthetic:drift(types=10", "')'");
  reject("synthetic:drift()", "')'");
  reject("synthetic:drift(seed=-1)", "seed");
  reject("synthetic:drift(types=1000000,positions=1000000)", "types x positions");
}

}  // namespace
}  // namespace sextant
