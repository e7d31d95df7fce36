// SPDX-License-Identifier: Apache-2.0
// What the rows of a learned table of positions say: lengths, neighbours, dimensions, geometry, and
// which of them training never touched.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/geometry.h"
#include "sextant/matrix.h"

namespace sextant {

struct LearnedTable {
  std::string name = {};          // as the user typed it, for messages
  std::string dtype = {};         // of the file: "f32"
  std::vector<Index> shape = {};  // of the file; leading axes of length 1 are allowed
  Index rows = 0, dim = 0;
  Vector values = {};  // [rows, dim]
};

// Why a row counts as untrained.
enum class UntrainedSign {
  kZero,   // all its values are 0
  kSmall,  // far shorter than the others
  kDrawn,  // as a normal draw of deviation 0.02 leaves it
};
std::string_view name(UntrainedSign sign);  // "zero", "small", "drawn"

// A row without a gradient keeps its first draw, which weight decay only makes shorter, while
// training makes rows longer. So a row is untrained when
// - it is zero (a row of padding), or
// - its norm is below half the median of all norms and more than 6 robust deviations (1.4826 times
//   the median absolute deviation) below that median: norms that change slowly along the table
//   have a large deviation, so that a short first row of such a table is not taken for a draw; or
// - its norm is that of a normal draw of deviation 0.02, full or cut at two deviations as in BERT
//   (0.0176), within 4 standard deviations, and its cosines with both neighbours are as small as
//   those of independent rows, 4 / sqrt(d). This finds untrained rows that are the majority. It
//   needs 64 columns: in fewer, independent rows are not nearly orthogonal.
struct UntrainedRow {
  Index row = 0;
  double norm = 0.0;
  UntrainedSign sign = UntrainedSign::kZero;
};

struct Extreme {
  Index row = 0;
  double value = 0.0;
};

struct Wave {
  Index cycles = 0;         // over the whole table
  double wavelength = 0.0;  // in rows
  double share = 0.0;       // of the energy of the centred rows
};

// Of at most 1024 trained rows, evenly chosen.
struct TableGeometry {
  Index rows = 0, step = 1;             // how many, and every which
  double share2 = 0.0, share8 = 0.0;    // of the squared distances in the first dimensions of MDS
  double stress2 = 0.0, stress8 = 0.0;  // scaled stress of these dimensions against all
  double lag_pearson = 0.0, lag_spearman = 0.0;  // of distance and lag, over all pairs
  Vector distance_by_lag = {};   // means; entry k is for lags of k steps, NaN where no pair has it
  std::vector<Wave> waves = {};  // the strongest first; empty where rows were left out by the step
};

struct TableFacts {
  Vector norms = {};
  Extreme least = {}, greatest = {};  // of the norms
  double median = 0.0;
  std::vector<UntrainedRow> untrained = {};
  // What follows is of the trained rows, or of all where fewer than two are trained.
  bool of_all_rows = false;
  Vector neighbour_cosines = {};  // rows t and t+1; NaN where one is untrained or zero
  std::optional<double> neighbour_median = {};
  std::optional<Extreme> neighbour_least = {};  // the first row of the pair
  Vector spectrum = {};                         // squared singular values of the centred rows
  Ranks ranks = {};                             // of this spectrum
  std::optional<TableGeometry> geometry = {};   // nothing where all rows are equal
};

// Uses the table's memory up: its values are centred in place and then given back. Refuses
// (kRefused) what does not fit into four fifths of the memory; the spectrum is that of the smaller
// Gram matrix. Throws kMalformed for a table without values, kNumeric where the eigensolver fails.
TableFacts table_facts(LearnedTable& table);

}  // namespace sextant
