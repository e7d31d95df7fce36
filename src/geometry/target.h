// SPDX-License-Identifier: Apache-2.0
// The positional geometry of a corpus: plain and corrected distances, their nulls, their spectra,
// and how much of it is signal. What each number means: docs/geometry.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/communicator.h"
#include "geometry/crossvalidation.h"
#include "geometry/jackknife.h"
#include "geometry/metric.h"
#include "geometry/null.h"
#include "sextant/corpus.h"
#include "sextant/geometry.h"

namespace sextant {

struct TargetOptions {
  Metric metric = Metric::kHellinger;
  Index splits = 20;
  bool intervals = true;  // jackknife
  std::uint64_t seed = 1;
  Index threads = 1;
  Communicator* ranks = &alone();  // share the work
};

struct ExcludedPosition {
  Index position = 0;
  std::int64_t count = 0;
  double reliability = 0.0;
  std::string reason;
};

// Distances with the noise of sampling taken out; negative squares are kept in `squared`.
struct Corrected {
  DistanceMatrix squared;
  DistanceMatrix distances;                     // of the squares, negative ones clipped to 0
  Vector eigenvalues;                           // of B from the unclipped squares
  std::vector<DistanceMatrix> squared_without;  // by block, for the jackknife; may be empty
};

struct Target {
  Metric metric = Metric::kHellinger;
  // Of all positions of the corpus:
  std::vector<std::int64_t> counts;  // N_i
  Vector reliability;                // empty where the corpus cannot be split
  std::vector<ExcludedPosition> excluded;
  // Of the others, to which all that follows belongs:
  std::vector<Index> positions;
  Vector sequences;  // N_i
  SparseColumns roots;

  DistanceMatrix plain;
  std::vector<DistanceMatrix> plain_without;  // by block, for the jackknife; may be empty
  Matrix gram;
  Vector eigenvalues;
  Ranks ranks;
  std::optional<Corrected> corrected;  // nothing where the corpus cannot be split
  std::vector<DistanceMatrix> null;    // plain distances of each shuffle
  Vector null_eigenvalues;             // mean over the shuffles
  double null_largest = 0.0;
  std::optional<Index> rank_supported;  // eigenvalues above null_largest; nothing without shuffles
  std::optional<DistanceMatrix> analytic_null_squared;  // Hellinger only
  std::optional<double> signal_fraction;                // mean d2 corrected / mean d2 plain
  // For a signal fraction of one half: if the noise fell as 1/N, the fastest it can; and at the
  // rate at which it falls here, new types still turning up.
  std::optional<double> sequences_needed, sequences_needed_at_this_rate;
  // Scaled stresses against the corrected and the plain distances, each replaced by its lag's mean.
  std::optional<double> stationary_floor, stationary_floor_plain;
  std::optional<Interval> stationary_floor_interval;
  std::optional<Interval> mean_squared_interval;  // of the corrected squares
  std::optional<double> ceiling;  // scaled stress between the corrected distances of two halves
  std::optional<DistanceMatrix> length_only;  // padded runs: what lengths alone would give
  bool indistinguishable = false;             // all distances are 0
};

// The same bits for any number of threads and ranks; every rank has the whole result.
//
// Throws kMalformed when no sequence counts, kRefused when the matrices do not fit into memory, and
// kNumeric when Hellinger's B has a negative eigenvalue beyond rounding.
Target make_target(const PositionalCounts& counts, const TargetOptions& options);

// Plain distances only, from a table of laws [n, types] whose rows sum to 1 (kMalformed otherwise).
Target target_of_distributions(const Matrix& laws, const TargetOptions& options);

// Bytes that make_target() and a score of `rows` candidates need at most.
double target_bytes(Index n, const TargetOptions& options, Index shuffles, Index rows);

// Each distance replaced by the mean over its lag: the best that any relative encoding can do.
DistanceMatrix lag_means(const DistanceMatrix& distances, std::span<const Index> positions);

// The floors and the interval of the mean square; part of make_target().
void add_floor(Target& target);

}  // namespace sextant
