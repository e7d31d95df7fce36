// SPDX-License-Identifier: Apache-2.0
// What Li says of tables past the training length: wavelets that decay and keep positions apart,
// Legendre polynomials that saturate, sinusoids that repeat.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/eigen_map.h"
#include "theory/nearest_repeat.h"
#include "theory/row_norms.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "beyond-training",
    .source = "Li, arXiv:2506.06398, section 6",
    .method = "rows of the input table at d=64, training length N=50, positions up to 199"};

constexpr Index kDim = 64, kTrain = 50, kPositions = 200;
constexpr double kDecayed = 0.01;  // exp(-149 beta) is less for every beta above .031
constexpr Index kRepeatFrom = 10000, kRepeatTo = 20000;

Matrix rows_of(const std::string& spec) {
  const TestedEncoding subject = tested_encoding(spec, kTrain);
  const Extent extent{.positions = kPositions, .dim = kDim, .heads = 1};
  return sampled_rows(subject.encoding->effects(extent).input.value(), extent, kPositions).rows;
}

double apart(const Matrix& rows, Index s, Index t) {
  return (as_eigen(rows.row(s)) - as_eigen(rows.row(t))).norm();
}

// |PE(last) - PE(N)| over the largest such distance on the way: 0 if the difference decays.
double decay(const Matrix& rows) {
  double largest = 0.0;
  for (Index t = kTrain + 1; t < kPositions; ++t)
    largest = std::max(largest, apart(rows, t, kTrain));
  return apart(rows, kPositions - 1, kTrain) / largest;
}

// Positions past the training length whose row another such position has.
double shared(const Matrix& rows) {
  Index count = 0;
  for (Index s = kTrain; s < kPositions; ++s) {
    bool twin = false;
    for (Index t = kTrain; t < kPositions && !twin; ++t) twin = t != s && apart(rows, s, t) == 0.0;
    if (twin) ++count;
  }
  return static_cast<double>(count);
}

struct Variant {
  const char* condition;
  const char* spec;
};
constexpr Variant kWavelets[] = {
    {"", "wavelet"},
    {"Daubechies-4 means 8 taps", "wavelet(taps=8)"},
    {"positions are re-scaled to the length", "wavelet(positions=rescale)"}};

std::vector<PublishedCell> cells() {
  std::vector<Reading> wavelets;
  for (const Variant& each : kWavelets) wavelets.push_back({.condition = each.condition});
  PublishedCell decays = computed_cell(
      "wavelet / |PE(199)-PE(50)| over its largest value on the way",
      "mechanism 2: decays as O(exp(-beta(pos-Nmax)))", "0", "wavelet, 4 taps, rows as they are");
  decays.half_digit = kDecayed;
  PublishedCell kept = computed_cell("wavelet / positions 50..199 that share a row",
                                     "mechanism 2: 'preserve positional distinctions'", "0",
                                     "wavelet, 4 taps, rows as they are");
  decays.readings = kept.readings = wavelets;
  PublishedCell atoms{
      .cell = "wavelet / |psi_jk| <= C 2^(-j/2) exp(-beta ...)",
      .place = "section 6.1.4",
      .setup = "C and beta are not given; compact support satisfies it for any beta",
      .stated = false,
      .readings = {{}}};
  PublishedCell constant =
      computed_cell("Legendre / largest |PE(t)-PE(N)| for t >= N",
                    "design trade-offs: 'saturates to constant vector'", "0", "legendre, clamped");
  const std::string neighbours = fmt::format("{}", sinusoidal_distance(kDim, 1));
  PublishedCell repeats =
      computed_cell("sinusoidal / least distance of two rows 10000 to 20000 apart",
                    "design trade-offs: 'periodic ambiguity beyond ~10000 positions'", neighbours,
                    "sinusoidal; ambiguous: nearer than two neighbours", Relation::kAtMost);
  repeats.half_digit = 0.0;
  return {std::move(decays), std::move(kept), std::move(atoms), std::move(constant),
          std::move(repeats)};
}

void compute(std::span<PublishedCell> cells, const ReproductionContext&) {
  for (std::size_t i = 0; i < std::size(kWavelets); ++i) {
    const Matrix rows = rows_of(kWavelets[i].spec);
    cells[0].readings[i].ours = decay(rows);
    cells[1].readings[i].ours = shared(rows);
  }
  cells[0].remark = "rows vanish from t=128 on: the difference settles at |PE(N)|";
  const Matrix legendre = rows_of("legendre");
  double largest = 0.0;
  for (Index t = kTrain; t < kPositions; ++t)
    largest = std::max(largest, apart(legendre, t, kTrain));
  cells[3].readings[0].ours = largest;
  const NearestRepeat repeat = nearest_repeat(kDim, kRepeatFrom, kRepeatTo);
  cells[4].readings[0].ours = repeat.distance;
  cells[4].remark = fmt::format("nearest at lag {}", repeat.lag);
}

}  // namespace

void register_beyond_training(ReproductionRegistry& registry) {
  registry.add(kInfo, cells, compute);
}

}  // namespace sextant
