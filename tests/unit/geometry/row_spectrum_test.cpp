// SPDX-License-Identifier: Apache-2.0
// Spectra of long contexts: against mathematics, against the dense matrix, over any number of
// ranks.
#include "geometry/row_spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <numbers>

#include "geometry/hellinger.h"
#include "geometry/target.h"
#include "math/spectrum.h"
#include "measure/made_counts.h"
#include "support/expect_error.h"
#include "support/made_counts.h"
#include "support/thread_ranks.h"

namespace sextant {
namespace {

struct Found {
  Spectrum spectrum;
  double trace = 0.0;
};

Found krylov(const PositionalCounts& counts, Index count, Communicator& ranks = alone(),
             Index threads = 1) {
  const PositionRows rows(cells_of(counts), sequences_by_position(counts), 16, ranks);
  const RowOperator product(rows, ranks, threads);
  return {krylov_spectrum(product, rows, ranks, count), product.trace()};
}

void expect_checked(const Spectrum& s) {
  EXPECT_LE(s.residual, 1e-8);
  EXPECT_LE(s.orthogonality, 1e-8);
}

TEST(KrylovSpectrum, OfThreePlacesIsTwoEigenvalues) {
  // Positions 0 and n-1 are far apart, all others in the middle.
  const Index n = 300;
  const PositionalCounts counts = made_counts(n, 2, [](Index i, Index v) -> Index {
    return i == 0 ? (v == 0 ? 2 : 0) : i == 299 ? (v == 1 ? 2 : 0) : 1;
  });
  // Rows (1, 0), (0, 1) and (1, 1)/sqrt 2: along (1, -1) at +-1/sqrt 2 and 0, along (1, 1) at
  // 1/sqrt 2 twice and 1 otherwise.
  const Found found = krylov(counts, 4);
  expect_checked(found.spectrum);
  const double short_side = 1.0 - std::sqrt(0.5), size = static_cast<double>(n);
  EXPECT_NEAR(found.spectrum.values[0], 1.0, 1e-12);
  EXPECT_NEAR(found.spectrum.values[1], 2.0 * short_side * short_side * (1.0 - 2.0 / size), 1e-12);
  EXPECT_NEAR(found.spectrum.values[2], 0.0, 1e-12);
  EXPECT_NEAR(found.trace, found.spectrum.values[0] + found.spectrum.values[1], 1e-12);
}

// A ring of overlapping laws is circulant: each eigenvalue but the ends is double.
TEST(KrylovSpectrum, OfARingHasDoubleEigenvalues) {
  const Index n = 400;
  const PositionalCounts counts = made_counts(n, n, [n](Index i, Index v) -> Index {
    const Index lag = std::min((v - i + n) % n, (i - v + n) % n);
    return lag == 0 ? 4 : lag == 1 ? 1 : 0;
  });
  // S is circulant with sqrt(4/6) and twice sqrt(1/6).
  const Found found = krylov(counts, 8);
  expect_checked(found.spectrum);
  EXPECT_FALSE(found.spectrum.multiplicity_certified);
  for (std::size_t k = 0; k < 8; ++k) {
    const double angle =
        2.0 * std::numbers::pi * static_cast<double>(k / 2 + 1) / static_cast<double>(n);
    const double root = (2.0 + 2.0 * std::cos(angle)) / std::sqrt(6.0);
    EXPECT_NEAR(found.spectrum.values[k], root * root, 1e-11) << k;
  }
}

TEST(KrylovSpectrum, AgreesWithTheMatrixOfAllDistances) {
  const PositionalCounts counts = made_drifting_counts(300, 500).counts;
  const Found found = krylov(counts, 6);
  expect_checked(found.spectrum);
  const Target target = make_target(counts, {.splits = 1, .intervals = false});
  ASSERT_EQ(target.positions.size(), 300U);
  double trace = 0.0;
  for (const double value : target.eigenvalues) trace += value;
  EXPECT_NEAR(found.trace, trace, 1e-12 * trace);
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(found.spectrum.values[k], target.eigenvalues[k], 1e-12 * target.eigenvalues[0]);
  const Matrix points = coordinates(found.spectrum);
  EXPECT_NEAR(std::abs(points(0, 0)),
              std::sqrt(found.spectrum.values[0]) * std::abs(found.spectrum.vectors(0, 0)), 1e-15);
}

TEST(DenseSpectrum, AgreesWithKrylov) {
  const PositionalCounts counts = made_drifting_counts(300, 500).counts;
  const PositionRows rows(cells_of(counts), sequences_by_position(counts), 16, alone());
  const Spectrum dense = dense_spectrum(cells_of(counts), rows, alone(), 6, 1);
  EXPECT_TRUE(dense.multiplicity_certified);
  const Spectrum free = krylov(counts, 6).spectrum;
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(free.values[k], dense.values[k], 1e-12 * dense.values[0]);
  for (Index i = 0; i < 300; ++i) EXPECT_NEAR(free.vectors(i, 0), dense.vectors(i, 0), 1e-8);
}

TEST(RowSpectra, HaveTheSameBitsForAnyNumberOfRanksAndThreads) {
  const PositionalCounts counts = made_drifting_counts(290, 400).counts;
  const Found one = krylov(counts, 5);
  const PositionRows whole(cells_of(counts), sequences_by_position(counts), 16, alone());
  const Spectrum dense_one = dense_spectrum(cells_of(counts), whole, alone(), 5, 1);
  EXPECT_EQ(krylov(counts, 5, alone(), 3).spectrum.values, one.spectrum.values);
  for (const Index size : {2, 3, 4, 7}) {
    std::mutex mutex;
    std::int64_t entries = 0;
    ThreadRanks(size).run([&](Communicator& ranks) {
      const Found found = krylov(counts, 5, ranks);
      const PositionRows rows(cells_of(counts), sequences_by_position(counts), 16, ranks);
      const Spectrum dense = dense_spectrum(cells_of(counts), rows, ranks, 5, 1);
      const std::scoped_lock lock(mutex);
      EXPECT_EQ(found.spectrum.values, one.spectrum.values) << size;
      EXPECT_TRUE(
          std::ranges::equal(found.spectrum.vectors.values(), one.spectrum.vectors.values()));
      EXPECT_EQ(found.trace, one.trace);
      EXPECT_EQ(dense.values, dense_one.values);
      entries += rows.own_entries();
      // Blocks of rows are not cut: a sixteenth more or less.
      const double share =
          static_cast<double>(rows.own_entries() * size) / static_cast<double>(rows.entries());
      if (size <= 4) {
        EXPECT_GT(share, 0.6);
        EXPECT_LT(share, 1.4);
      }
    });
    EXPECT_EQ(entries, whole.entries());
  }
}

TEST(RowSpectra, OfEqualLawsAreIndistinguishable) {
  const PositionalCounts counts =
      made_counts(50, 7, [](Index, Index v) -> Index { return 3 + v * v; });
  const PositionRows rows(cells_of(counts), sequences_by_position(counts), 16, alone());
  EXPECT_TRUE(indistinguishable(RowOperator(rows, alone(), 1).trace(), rows.rows()));
}

// Laws that differ by 1e-5: nothing cancels.
TEST(KrylovSpectrum, KeepsItsDigitsForCloseLaws) {
  const Index n = 280, half = 100000;
  const PositionalCounts counts = made_counts(
      n, 2, [=](Index i, Index v) -> Index { return v == 0 ? half + i % 2 : half - i % 2; });
  const Found found = krylov(counts, 2);
  const double total = 2.0 * static_cast<double>(half);
  const double x = std::sqrt(0.5), y = std::sqrt((half + 1.0) / total);
  const double z = std::sqrt((half - 1.0) / total);
  const double squared = (x - y) * (x - y) + (x - z) * (x - z);
  EXPECT_NEAR(found.spectrum.values[0], 280.0 * squared / 4.0, 1e-9 * 280.0 * squared / 4.0);
  EXPECT_LE(found.spectrum.residual, 1e-8);
}

TEST(PositionRows, LeaveOutPositionsWithoutSequences) {
  const PositionalCounts counts =
      made_counts(6, 3, [](Index i, Index v) -> Index { return i == 2 ? 0 : i + v; });
  const PositionRows rows(cells_of(counts), sequences_by_position(counts), 128, alone());
  EXPECT_EQ(rows.rows(), 5);
  EXPECT_EQ(rows.positions()[2], 3);
  EXPECT_EQ(rows.entries(), 14);  // token 0 is not at position 0
  const CountRoots root;
  Vector last;
  for_each_in_row(rows.own().row(4), root,
                  [&](std::size_t, double value) { last.push_back(value); });
  EXPECT_EQ(last, (Vector{std::sqrt(5.0), std::sqrt(6.0), std::sqrt(7.0)}));
}

TEST(PositionRows, RejectCountsThatDoNotAddUp) {
  const PositionalCounts counts = made_counts(3, 3, [](Index, Index) -> Index { return 2; });
  std::vector<std::int64_t> sequences = sequences_by_position(counts);
  ++sequences[1];
  expect_error(ErrorCode::kMalformed, "position 1",
               [&] { PositionRows(cells_of(counts), sequences, 128, alone()); });
  expect_error(ErrorCode::kMalformed, "no sequence",
               [&] { PositionRows(cells_of(counts), std::vector<std::int64_t>(3), 128, alone()); });
}

// A file may change in place: what the second pass shows must fit where the first one said.
TEST(PositionRows, NoticeCellsThatChangeBetweenThePasses) {
  const PositionalCounts counts =
      made_counts(4, 3, [](Index i, Index v) -> Index { return i == v ? 0 : 2; });
  const auto expect_noticed = [&](const PositionalCounts& later) {
    int passes = 0;
    const CellSource changing = [&](const CellVisit& visit) {
      (passes++ == 0 ? counts : later).blocks.for_each(visit);
    };
    expect_error(ErrorCode::kUnreadable, "changed during reading",
                 [&] { PositionRows(changing, sequences_by_position(counts), 16, alone()); });
    EXPECT_EQ(passes, 2);
  };
  expect_noticed(made_counts(4, 900, [](Index, Index) -> Index { return 1; }));
  expect_noticed(made_counts(4, 3, [](Index i, Index v) -> Index { return i == v ? 0 : 200; }));
  expect_noticed(made_counts(4, 3, [](Index i, Index v) -> Index { return i == v ? 2 : 0; }));
  expect_noticed(made_counts(4, 4, [](Index i, Index v) -> Index { return i == v - 1 ? 0 : 2; }));
  expect_noticed(made_counts(4, 1, [](Index, Index) -> Index { return 2; }));
}

TEST(RefuseTogether, NamesWhatIsNeededAndWhatMayBeUsed) {
  expect_error(ErrorCode::kRefused, "25.80 GB of memory but 1.00 GB", [] {
    refuse_together(alone(), {.limit = 1e9}, 25.8e9, "--solver", "dense", "use krylov");
  });
  refuse_together(alone(), {.limit = 1e9}, 0.5e9, "--solver", "dense", "use krylov");
}

TEST(RefuseTogether, TakesALimitAsThatOfEachRank) {
  const MemoryShare share{.limit = 1e9, .ranks_here = 4};
  refuse_together(alone(), share, 0.9e9, "--solver", "dense", "use krylov");
  expect_error(ErrorCode::kRefused, "1.10 GB of memory but 1.00 GB",
               [&] { refuse_together(alone(), share, 1.1e9, "--solver", "dense", "use krylov"); });
}

// What rank 0 throws while the others serve it is thrown everywhere: nobody waits.
TEST(RowOperator, EndsOnEveryRankWhenRankZeroFails) {
  const PositionalCounts counts = made_drifting_counts(40, 30).counts;
  std::atomic<int> failures = 0;
  ThreadRanks(3).run([&](Communicator& ranks) {
    const PositionRows rows(cells_of(counts), sequences_by_position(counts), 16, ranks);
    const RowOperator product(rows, ranks, 1);
    try {
      product.serve([](const Operator&) { throw Error(ErrorCode::kNumeric, "spectrum: no"); });
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kNumeric) ++failures;
    }
  });
  EXPECT_EQ(failures, 3);
}

TEST(KrylovBytes, HaveTheMatrixThatIsWrittenOut) {
  constexpr double kMatrix = 8.0 * 20000.0 * 20000.0;
  EXPECT_LT(krylov_bytes(20000, 10, 16, 1), 0.1 * kMatrix);
  EXPECT_GT(krylov_bytes(20000, 10, 5001, 1), 2.0 * kMatrix);
  EXPECT_GT(krylov_bytes(200, 1, 1, 1), 2.0 * 8.0 * 200.0 * 200.0);
}

}  // namespace
}  // namespace sextant
