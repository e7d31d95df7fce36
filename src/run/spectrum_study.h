// SPDX-License-Identifier: Apache-2.0
// The spectrum of a long context, and the stress of encodings against it, without a matrix of all
// pairs of positions: docs/spectrum.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "geometry/pair_stress.h"
#include "io/json.h"
#include "run/study_choice.h"

namespace sextant {

inline const std::vector<std::string> kSolverWords = {"krylov", "slepc", "dense"};
inline constexpr Index kDefaultTop = 16;
inline constexpr Index kDefaultPairs = 20'000'000;
inline constexpr Index kLeastPairs = 100;

struct SpectrumChoice {
  StudyChoice study;  // as far as it says what is read, and how large encodings are
  std::string solver = "krylov", stress;
  std::optional<Index> top, pairs;
};

struct StressRow {
  std::string encoding, geometry;
  bool control = false;
  std::optional<PairStress> stress;  // nothing where there is an error
  std::string error;
  ErrorCode error_code = ErrorCode::kUsage;
};

struct SpectrumStudy {
  Study corpus;  // its counts without cells, no geometry
  std::string solver;
  std::vector<Index> positions;  // that have a law
  std::vector<Index> excluded;   // that no sequence reaches
  Index few = 0;                 // positions with fewer than 200 sequences
  Index tokens = 0;              // different ones
  std::int64_t entries = 0;      // of sqrt P
  double trace = 0.0;
  bool indistinguishable = false;  // all laws are equal
  Spectrum spectrum;
  std::optional<PairPlan> pairs;  // where stress was asked for
  Index pairs_used = 0;
  std::vector<StressRow> stress;
  std::vector<NeedsValues> needs_values;
};

// A collective of run.ranks. Nothing when `run.stop` ended the counting. Throws kUsage for a solver
// that this program does not have, kRefused with the numbers where memory lacks.
std::optional<SpectrumStudy> make_spectrum(const SpectrumChoice& choice, const StudyRun& run);

// corpus, positions, excluded, tokens, entries, top, solver, trace, eigenvalues, shares, residual,
// orthogonality, multiplicity_certified, indistinguishable, stress.
void add_spectrum(Json& document, const SpectrumStudy& study);

}  // namespace sextant
