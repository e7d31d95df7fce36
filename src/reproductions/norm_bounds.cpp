// SPDX-License-Identifier: Apache-2.0
// Table 2 of Li: the radius of the inputs, which its generalisation bounds depend on, without the
// token's own part B_x; and the growth of rows that are not normalised.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "theory/row_norms.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "norm-bounds",
    .source = "Li, arXiv:2506.06398, sections 4.2 and 6",
    .method = "the longest row of the input table at d=64, positions 0..199, training length 50"};

constexpr Index kDim = 64, kTrain = 50, kPositions = 200;
constexpr Index kShort = 64, kLong = 1024;  // training lengths between which growth is measured

double longest_row(const std::string& spec, Index train, Index positions) {
  const TestedEncoding subject = tested_encoding(spec, train);
  const Extent extent{.positions = positions, .dim = kDim, .heads = 1};
  const Effects effects = subject.encoding->effects(extent);
  const SampledNorms sampled = sampled_norms(effects.input.value(), extent, positions);
  return *std::ranges::max_element(sampled.norms);
}

std::vector<PublishedCell> cells() {
  constexpr const char* kTable = "table 2";
  const std::string root = fmt::format("{}", std::sqrt(static_cast<double>(kDim)));
  PublishedCell learned{
      .cell = "learned / longest row",
      .place = kTable,
      .setup = "B_p is the norm of whatever was trained; the source gives no number",
      .stated = false,
      .readings = {{}}};
  PublishedCell rademacher{.cell = "Rademacher complexity / O(L_trans B_0 / sqrt m)",
                           .place = "section 4.2",
                           .setup =
                               "constants, logarithmic factors and L_trans are not given; 'sextant "
                               "check rademacher' computes what can be",
                           .stated = false,
                           .readings = {{}}};
  const double growth = std::log(static_cast<double>(kLong) / static_cast<double>(kShort) *
                                 std::sqrt(std::log(static_cast<double>(kLong)) /
                                           std::log(static_cast<double>(kShort)))) /
                        std::log(static_cast<double>(kLong) / static_cast<double>(kShort));
  PublishedCell wavelet{
      .cell = "wavelet, not normalised / exponent of N in the longest row",
      .place = "failure signatures: O(Nmax sqrt(log Nmax))",
      .published = growth,
      .relation = Relation::kAtMost,
      .setup = fmt::format("wavelet(taps=4), training lengths {} and {}", kShort, kLong),
      .readings = {{}}};
  PublishedCell inflation = wavelet;
  inflation.cell = "wavelet, not normalised / the norm inflates as the bound does";
  inflation.relation = Relation::kEquals;
  inflation.half_digit = 0.05;
  return {computed_cell("sinusoidal / longest row is at most sqrt d", kTable, root,
                        "sinusoidal, d=64", Relation::kAtMost),
          computed_cell("sinusoidal / norm is sqrt d", "section 4.2: 'bounded norm (sqrt d_model)'",
                        root, "sinusoidal, d=64"),
          std::move(learned),
          computed_cell("Legendre / longest row is at most sqrt d",
                        "design trade-offs: 'bounded norm'", root,
                        "legendre, clamped, d=64; sqrt d is ours for 'bounded'", Relation::kAtMost),
          std::move(wavelet),
          std::move(inflation),
          std::move(rademacher)};
}

void compute(std::span<PublishedCell> cells, const ReproductionContext&) {
  const double sinusoidal = longest_row("sinusoidal", kTrain, kPositions);
  cells[0].readings[0].ours = cells[1].readings[0].ours = sinusoidal;
  cells[1].remark = "a sine and a cosine of one angle have norm 1: exactly sqrt(d/2)";
  cells[3].readings[0].ours = longest_row("legendre", kTrain, kPositions);
  const double growth =
      std::log(longest_row("wavelet", kLong, kLong) / longest_row("wavelet", kShort, kShort)) /
      std::log(static_cast<double>(kLong) / static_cast<double>(kShort));
  cells[4].readings[0].ours = cells[5].readings[0].ours = growth;
  cells[5].remark = "no row is longer than 3, whatever N";
}

}  // namespace

void register_norm_bounds(ReproductionRegistry& registry) { registry.add(kInfo, cells, compute); }

}  // namespace sextant
