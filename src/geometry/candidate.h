// SPDX-License-Identifier: Apache-2.0
// What is held against the geometry of a corpus: encodings under their rules, and the controls
// without which no stress means anything.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "geometry/induced.h"
#include "geometry/target.h"
#include "sextant/error.h"
#include "sextant/registry.h"

namespace sextant {

struct CandidateOptions {
  Index dim = 64;
  Index heads = 8;
  Index train = 64;   // for encodings that have a training length and do not set it
  Index length = 64;  // positions of the corpus, also those left out
  Index threads = 1;
  Communicator* ranks = &alone();  // share the fits
};

struct Candidate {
  std::string encoding;  // canonical spec, or the name of a control
  std::string name;      // of the first term, as in the catalogue
  std::string title;
  std::string geometry;  // name of the rule, or "control"
  bool control = false;
  std::unique_ptr<Distances> distances;  // nothing when there is an error
  Vector by_lag;                         // where only the lag matters
  Vector kernel;                         // K or b against the lag
  double negative_share = 0.0;
  std::string error;
  ErrorCode error_code = ErrorCode::kUsage;  // of that error

  bool by_lag_only() const { return !by_lag.empty(); }
};

// An encoding whose values must be learned first.
struct NeedsValues {
  std::string encoding;
  std::string reason;
};

struct Candidates {
  std::vector<Candidate> list;
  std::vector<NeedsValues> needs_values;
};

// Every encoding of the catalogue with its defaults.
std::vector<std::string> catalogue_specs();

// The spec with files named, not where they lie: as results hold it.
std::string without_folders(std::string_view spec);

// One candidate per spec and rule, then the controls equidistant, random, mds and smacof. mds(...)
// and smacof(...) without a file are fitted to `target`. An encoding that cannot be built for this
// size becomes a candidate with an error; a spec that is wrong in itself throws kUsage.
Candidates make_candidates(const std::vector<std::string>& specs, const Target& target,
                           const CandidateOptions& options);

// For positions too many for a matrix of their pairs: one candidate per spec and rule and the
// control equidistant, none of them stored or fitted. kUsage also for mds(...) and smacof(...)
// without a file; an encoding whose distances depend on more than the lag and are not those of rows
// becomes a candidate with an error where the positions are many.
Candidates unstored_candidates(const std::vector<std::string>& specs,
                               std::span<const Index> positions, const CandidateOptions& options);

// Coordinates fitted to a target, [n, rank].
struct FitOptions {
  bool smacof = false;     // else classical
  bool corrected = false;  // to the corrected distances, negative eigenvalues clipped
  Index rank = 1;
  Index threads = 1;
  Index most_steps = 1000;         // of SMACOF
  Communicator* ranks = &alone();  // the first fits for all
};
struct Fit {
  Matrix points;
  Vector eigenvalues;
  double stress_raw = 0.0;  // against the distances that were fitted
  bool converged = true;
};
// Throws kUsage for corrected without an estimate, and for a rank of 0 or of n and more.
Fit fit(const Target& target, const FitOptions& options);

// Stress of classical MDS and SMACOF against the rank, with the numbers that each needs.
struct RankRow {
  Index rank = 0;
  PairSums mds, smacof;
  double numbers = 0, table_numbers = 0, freedom = 0;  // r(n+d), n d, r(n+d-r)
};
std::vector<RankRow> rank_profile(const Target& target, Index dim, Index threads,
                                  Communicator& ranks = alone());

}  // namespace sextant
