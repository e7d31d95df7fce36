// SPDX-License-Identifier: Apache-2.0
#include "run/cost_plan.h"

#include <algorithm>
#include <cmath>

#include "corpus/run_sample.h"
#include "geometry/block_cells.h"
#include "geometry/row_spectrum.h"
#include "sextant/corpus.h"

namespace sextant {
namespace {

constexpr double kProgramBytes = 40e6;  // the program, and three batches of texts
constexpr double kWordBytes = 100.0;    // of a token in a growing vocabulary, beside its text
constexpr std::size_t kFitted = 4;      // prefixes, the longest: laws bend, and their end counts

// Chance that a Poisson variable is at least k.
double at_least(double k, double mean) {
  if (k == 2.0) return -std::expm1(-mean) - mean * std::exp(-mean);
  return 0.5 * std::erfc((k - 0.5 - mean) / std::sqrt(2.0 * std::max(mean, 1e-300)));
}

// Sum of f(times) over the tokens of `scale` samples, which are counted so many times.
template <typename F>
double over_tokens(const CorpusSample& sample, double scale, double heaps, F f) {
  const double used = sample.used_tokens / sample.tokens;
  const double more = std::max(0.0, scale - 1.0);
  double sum = 0.0, types = 0.0;
  for (const auto& [count, tokens] : sample.types_of_count) {
    sum += tokens * f(used * (std::min(scale, 1.0) * count + more * (count - heaps)));
    types += tokens;
  }
  const double added = types * (std::pow(std::max(scale, 1.0), heaps) - 1.0);
  if (added < 1.0) return sum;
  // Numbers of new tokens that occur 1, 2, 4, ... times fall by 2^-heaps; then all are stretched.
  double shares = 0.0, times = 0.0;
  const int classes = 1 + static_cast<int>(std::log2(scale));
  for (int i = 0; i < classes; ++i) {
    shares += std::exp2(-heaps * i);
    times += std::exp2((1.0 - heaps) * i);
  }
  const double stretch = heaps * types * more / (added * times / shares);
  for (int i = 0; i < classes; ++i)
    sum += added * std::exp2(-heaps * i) / shares * f(used * stretch * std::exp2(i));
  return sum;
}

PowerLaw law_of(const CorpusSample& sample, double PrefixSizes::*size) {
  std::vector<double> x, y;
  const std::size_t first = sample.prefixes.size() - std::min(sample.prefixes.size(), kFitted);
  for (std::size_t i = first; i < sample.prefixes.size(); ++i) {
    x.push_back(sample.prefixes[i].bytes);
    y.push_back(std::max(1.0, sample.prefixes[i].*size));
  }
  PowerLaw law = fit_power_law(x, y);
  law.exponent = std::clamp(law.exponent, 0.0, 1.0);  // nothing grows faster than the text
  law.factor = std::max(1.0, sample.all().*size) / std::pow(sample.all().bytes, law.exponent);
  return law;
}

// How many of a kind of place are found in `bytes` of text.
double grown(const CorpusSample& sample, double bytes, const PowerLaw& law, double heaps,
             double PrefixSizes::*size, double places, double per_token) {
  const double scale = bytes / sample.all().bytes;
  const auto filled = [&](double times) { return occupied_places(places, per_token * times); };
  const double bound = sample.all().*size * over_tokens(sample, scale, heaps, filled) /
                       std::max(1.0, over_tokens(sample, 1.0, heaps, filled));
  return std::min(law.at(bytes), bound);
}

double packed_growth(const CorpusSample& sample, double scale, double heaps, double places,
                     double per_token) {
  const auto packed = [&](double times) { return packed_place_bytes(places, per_token * times); };
  const auto filled = [&](double times) { return occupied_places(places, per_token * times); };
  const auto each = [&](double by) {
    return over_tokens(sample, by, heaps, packed) /
           std::max(1e-300, over_tokens(sample, by, heaps, filled));
  };
  return each(scale) / each(1.0);
}

// Sizes of the counts of a part of the corpus.
struct CountSizes {
  double cells = 0.0, shuffled = 0.0, types = 0.0;
  double cells_bytes = 0.0, shuffled_bytes = 0.0, other_bytes = 0.0;
  double sum() const { return cells_bytes + shuffled_bytes + other_bytes; }
};

struct Laws {
  PowerLaw cells, shuffled, pairs, types;
};

CountSizes sizes_of(const CorpusSample& sample, const PlanQuestion& question, const Laws& laws,
                    double bytes) {
  const auto n = static_cast<double>(question.positions);
  const auto shuffles = static_cast<double>(question.shuffles);
  const double scale = bytes / sample.all().bytes, blocks = kBlocks;
  const double heaps = laws.types.exponent;
  CountSizes sizes;
  sizes.types = laws.types.at(bytes);
  sizes.cells = grown(sample, bytes, laws.cells, heaps, &PrefixSizes::cells, n * blocks, 1.0);
  sizes.cells_bytes = sizes.cells * sample.cell_bytes / std::max(1.0, sample.all().cells) *
                      packed_growth(sample, scale, heaps, n * blocks, 1.0);
  if (shuffles > 0.0 && sample.all().shuffled_cells > 0.0) {
    sizes.shuffled = grown(sample, bytes, laws.shuffled, heaps, &PrefixSizes::shuffled_cells,
                           n * shuffles, shuffles);
    sizes.shuffled_bytes = sizes.shuffled * sample.shuffled_bytes / sample.all().shuffled_cells *
                           packed_growth(sample, scale, heaps, n * shuffles, shuffles);
  }
  // Sequences by position and block and by length, the sample of runs, and the tokens' texts.
  sizes.other_bytes = n * (blocks + 1.0) * 8.0 +
                      17.0 * std::min(sample.runs * scale, static_cast<double>(RunSample::kMost));
  if (sample.growing_vocabulary) sizes.other_bytes += sizes.types * (8.0 + sample.token_bytes);
  return sizes;
}

// What a rank's threads hold before it is packed. A place in a list takes 4 bytes, a list that
// doubles as it grows half as much again on average; counters for all places of a token are the
// most. Each table of a thread has a column for every token.
double gathered_bytes(const CorpusSample& sample, const PlanQuestion& question, const Laws& laws,
                      double bytes) {
  constexpr double kPlace = 6.0, kCounter = 4.0, kColumn = 32.0;
  const auto n = static_cast<double>(question.positions);
  const auto shuffles = static_cast<double>(question.shuffles);
  const auto threads = static_cast<double>(question.threads);
  const auto gathered = [&](double places, double per_token) {
    const double lists =
        over_tokens(sample, bytes / sample.all().bytes, laws.types.exponent, [&](double times) {
          return std::min(kPlace * per_token * times / threads, kCounter * places);
        });
    return threads * std::min(question.gather_limit, lists + kColumn * laws.types.at(bytes));
  };
  return gathered(n * kBlocks, 1.0) + (shuffles > 0.0 ? gathered(n * shuffles, shuffles) : 0.0);
}

// Rank 0 receives in step k the counts of 2^k ranks.
void add_reduction(CostPlan& plan, const CorpusSample& sample, const PlanQuestion& question,
                   const Laws& laws, const PlanAssumptions& assumed) {
  const double merge_rate = sample.merged_bytes / std::max(1e-9, sample.merge_seconds);
  for (Index together = 1; together < question.ranks; together *= 2) {
    const double bytes =
        plan.rank_bytes * static_cast<double>(std::min(together, question.ranks - together));
    const double received = sizes_of(sample, question, laws, bytes).sum();
    ++plan.steps;
    plan.received_bytes += received;
    plan.reduce_seconds += received / assumed.network + 2.0 * received / merge_rate;
  }
  plan.reduce_seconds += static_cast<double>(plan.steps) * plan.counts_bytes / assumed.network;
}

void add_spectra(CostPlan& plan, const CorpusSample& sample, const PlanQuestion& question,
                 const PlanAssumptions& assumed) {
  const auto n = static_cast<double>(question.positions);
  const auto ranks = static_cast<double>(question.ranks);
  plan.dense_bytes = question.geometry_bytes + BlockCells::bytes(plan.cells);
  plan.dense_seconds =
      sample.eigen_seconds * std::pow(n / static_cast<double>(sample.eigen_size), 3.0);
  const double entries = plan.pairs / ranks;
  const auto tokens = static_cast<Index>(plan.types);
  plan.operator_bytes = RowOperator::bytes(question.positions, tokens, question.threads);
  plan.spectrum_bytes = entries * assumed.entry_bytes +
                        krylov_bytes(question.positions, tokens, assumed.top, question.threads);
  plan.spectrum_network =
      static_cast<double>(plan.steps) * krylov_network(question.positions, tokens);
  plan.spectrum_seconds = assumed.products * (entries * assumed.sum_bytes / assumed.memory +
                                              plan.spectrum_network / assumed.network);
}

}  // namespace

double PowerLaw::at(double x) const { return factor * std::pow(x, exponent); }

PowerLaw fit_power_law(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0.0, mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / n;
    mean_y += std::log(y[i]) / n;
  }
  double products = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = std::log(x[i]) - mean_x;
    products += dx * (std::log(y[i]) - mean_y);
    squares += dx * dx;
  }
  const double exponent = products / squares;
  return {.factor = std::exp(mean_y - exponent * mean_x), .exponent = exponent};
}

double occupied_places(double places, double times) {
  return -places * std::expm1(-times / places);
}

double packed_place_bytes(double places, double times) {
  const double mean = times / places, filled = -std::expm1(-mean);
  // The way to the next cell is geometric; a byte holds 6 bits of it and a flag, then 7 more each.
  double way = 1.0;
  for (const double reach : {64.0, 8192.0, 1048576.0}) way += std::exp(-mean * reach);
  // A count above 1 takes a byte, and one more from 2 + 2^7 and 2 + 2^14 on.
  double counts = 0.0;
  for (const double least : {2.0, 130.0, 16386.0}) counts += at_least(least, mean);
  return places * (filled * way + counts);
}

void assume_long_sequences(CorpusSample& sample, Index positions, Index shuffles) {
  const auto n = static_cast<double>(positions), times_shuffled = static_cast<double>(shuffles);
  const double places = n * kBlocks;
  sample.used_tokens = sample.tokens;
  for (PrefixSizes& prefix : sample.prefixes) {
    const auto sum = [&](double all, double per_token) {
      return over_tokens(sample, prefix.bytes / sample.all().bytes, 0.0,
                         [&](double times) { return occupied_places(all, per_token * times); });
    };
    prefix.cells = sum(places, 1.0);
    prefix.pairs = sum(n, 1.0);
    prefix.shuffled_cells = shuffles == 0 ? 0.0 : sum(n * times_shuffled, times_shuffled);
  }
  sample.cell_bytes = over_tokens(sample, 1.0, 0.0,
                                  [&](double times) { return packed_place_bytes(places, times); });
  sample.shuffled_bytes = shuffles == 0 ? 0.0 : over_tokens(sample, 1.0, 0.0, [&](double times) {
    return packed_place_bytes(n * times_shuffled, times_shuffled * times);
  });
}

CostPlan cost_plan(const CorpusSample& sample, const PlanQuestion& question,
                   const PlanAssumptions& assumed) {
  const Laws laws = {.cells = law_of(sample, &PrefixSizes::cells),
                     .shuffled = law_of(sample, &PrefixSizes::shuffled_cells),
                     .pairs = law_of(sample, &PrefixSizes::pairs),
                     .types = law_of(sample, &PrefixSizes::types)};
  const double scale = question.bytes / sample.all().bytes;
  const auto ranks = static_cast<double>(question.ranks);
  const auto threads = static_cast<double>(question.threads);
  CostPlan plan{.cell_law = laws.cells, .pair_law = laws.pairs, .type_law = laws.types};
  plan.tokens = sample.tokens * scale;
  plan.used_tokens = sample.used_tokens * scale;
  const CountSizes whole = sizes_of(sample, question, laws, question.bytes);
  plan.types = whole.types;
  plan.cells = whole.cells;
  plan.shuffled_cells = whole.shuffled;
  plan.pairs = grown(sample, question.bytes, laws.pairs, laws.types.exponent, &PrefixSizes::pairs,
                     static_cast<double>(question.positions), 1.0);
  plan.cells_bytes = whole.cells_bytes;
  plan.shuffled_bytes = whole.shuffled_bytes;
  plan.other_bytes = whole.other_bytes;
  plan.counts_bytes = whole.sum();

  plan.rank_bytes = question.bytes / ranks;
  plan.rank_counts_bytes = sizes_of(sample, question, laws, plan.rank_bytes).sum();
  // Threads read one at a time.
  const double seconds =
      std::max(sample.read_seconds, (sample.read_seconds + sample.count_seconds) / threads);
  plan.count_seconds = plan.rank_bytes * seconds / sample.all().bytes;
  // Counts of all, and those that are merged into them.
  const double own = question.ranks > 1 ? plan.counts_bytes : plan.rank_counts_bytes;
  plan.gathered_bytes = gathered_bytes(sample, question, laws, plan.rank_bytes);
  plan.count_memory = kProgramBytes + plan.gathered_bytes + 2.0 * own;
  if (sample.growing_vocabulary)
    plan.count_memory += laws.types.at(plan.rank_bytes) * (kWordBytes + sample.token_bytes);
  add_reduction(plan, sample, question, laws, assumed);
  add_spectra(plan, sample, question, assumed);
  return plan;
}

}  // namespace sextant
