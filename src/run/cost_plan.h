// SPDX-License-Identifier: Apache-2.0
// What a corpus will cost, from a small sample of it: growth laws and sums, nothing is read here.
//
// A token that occurs c times fills places(1 - exp(-c / places)) of its places: the cells of n
// positions in 64 blocks, of n positions in each shuffle, or the n positions alone. Summed over
// tokens, and scaled to what the sample really has, this says how sizes grow until all places are
// full. Real tokens prefer some places, so that cells also grow by a power law that is fitted on
// doubling prefixes; the lesser of both counts.
//
// More text has more tokens. Let V tokens of the sample grow as V t^b in t samples (Heaps' law,
// also fitted). As in the process of Pitman and Yor with discount b, a token that occurs c times in
// the sample then occurs c + (t - 1)(c - b) times, and the b of each go to V (t^b - 1) new ones,
// whose numbers fall with the power b of how often they occur.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

// y = factor x^exponent.
struct PowerLaw {
  double factor = 0.0, exponent = 0.0;
  double at(double x) const;
};
// Least squares of the logarithms. REQUIRES: as many x as y, two at least, all positive, not all x
// the same.
PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y);

// Expected number of different places that `times` draws of `places` find.
double occupied_places(double places, double times);
// Expected bytes of these as packed cells (CellCounts): one or more for the way from the cell
// before, and more for a count that is not 1.
double packed_place_bytes(double places, double times);

// What the sample had when it was read up to here; all are sums from its beginning.
struct PrefixSizes {
  double bytes = 0.0;  // of the files
  double cells = 0.0, shuffled_cells = 0.0;
  double pairs = 0.0;  // different (token, position)
  double types = 0.0;  // different tokens
};

struct CorpusSample {
  std::vector<PrefixSizes> prefixes = {};  // each about twice the one before; the last is all of it
  double cell_bytes = 0.0, shuffled_bytes = 0.0;  // packed
  double text_bytes = 0.0;
  double tokens = 0.0, used_tokens = 0.0;        // in the texts; in sequences that count
  std::map<double, double> types_of_count = {};  // how many tokens occur so often in the texts
  double runs = 0.0;                             // of the sample of runs in the counts
  bool growing_vocabulary = false;               // the counts hold the tokens
  double token_bytes = 0.0;                      // mean length of one
  // Seconds of one thread: of reading as a clock shows them, of the rest as the processor does.
  double read_seconds = 0.0, count_seconds = 0.0, merge_seconds = 0.0;
  double merged_bytes = 0.0;  // of counts, in merge_seconds
  double eigen_seconds = 0.0;
  Index eigen_size = 0;  // of the dense eigenproblem that took eigen_seconds

  const PrefixSizes& all() const { return prefixes.back(); }
};

// For a sample whose sequences are all shorter than `positions`: sizes as if its tokens came in
// sequences that are long enough, each token evenly over its places. REQUIRES: prefixes with bytes.
void assume_long_sequences(CorpusSample& sample, Index positions, Index shuffles);

struct PlanQuestion {
  double bytes = 0.0;  // of the files
  Index positions = 1, shuffles = 0;
  Index ranks = 1, threads = 1;
  double geometry_bytes = 0.0;  // of the dense geometry: target_bytes()
  double gather_limit = 0.0;    // bytes that a thread gathers at most: gather_limit()
};

// Rates that no sample on one computer shows, and sizes of the solver.
struct PlanAssumptions {
  double network = 1e9;      // bytes a second between two ranks
  double memory = 4e9;       // bytes a second that one rank streams through
  Index top = 16;            // eigenpairs
  double products = 200.0;   // of the operator with one vector, until the pairs have converged
  double entry_bytes = 4.0;  // of sqrt P, packed: 2 to 4
  double sum_bytes = 24.0;   // of sums that an entry passes in a product: two numbers, then one
};

struct CostPlan {
  // Of the corpus.
  double tokens = 0.0, used_tokens = 0.0, types = 0.0;
  double cells = 0.0, shuffled_cells = 0.0, pairs = 0.0;
  PowerLaw cell_law = {}, pair_law = {}, type_law = {};
  double cells_bytes = 0.0, shuffled_bytes = 0.0, other_bytes = 0.0;
  double counts_bytes = 0.0;  // their sum: the .counts file of all, and what memory holds of it
  // Of a rank.
  double rank_bytes = 0.0;         // to read
  double rank_counts_bytes = 0.0;  // its own counts
  double count_seconds = 0.0;
  double gathered_bytes = 0.0;  // by its threads, before it is packed
  double count_memory = 0.0;    // that, twice the counts, the vocabulary, the program
  // Of the reduction.
  Index steps = 0;              // ceil(log2 ranks)
  double received_bytes = 0.0;  // by rank 0, over all steps
  double reduce_seconds = 0.0;  // receive and merge, and pass the sum on
  // Of the spectra.
  double dense_bytes = 0.0, dense_seconds = 0.0;
  double spectrum_bytes = 0.0, spectrum_seconds = 0.0;  // matrix-free, of rank 0
  double operator_bytes = 0.0;    // that are in spectrum_bytes: sums over the rows, and blocks
  double spectrum_network = 0.0;  // of one product, over all steps
};

// REQUIRES: two prefixes at least; positive sizes.
CostPlan cost_plan(const CorpusSample& sample, const PlanQuestion& question,
                   const PlanAssumptions& assumed = {});

}  // namespace sextant
