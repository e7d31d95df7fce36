// SPDX-License-Identifier: Apache-2.0
// T8: Daubechies wavelets of the position beyond the training length.
//
// Their support is compact. So rows become exactly zero, which is faster than any exponential; the
// difference to the row of N then equals that row, which is no decay; and at most taps-1 atoms of a
// scale meet a position, so that rows are bounded whatever N is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/eigen_map.h"
#include "sextant/registry.h"
#include "sextant/theorem.h"
#include "theory/row_norms.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "taps: 4 (D4) or 8 (db4), both of which are called Daubechies-4",
    "N: the training length",
    "ours: scales j = 1..floor(log2 N), shifts whose support meets [0, N]",
    "rows as they are, or normalised: a zero row stays zero either way",
    "d columns are filled from coarse to fine; norms against N take as many as there are atoms",
    "the source's own limit: far beyond N all positions may converge toward similar encodings",
    "about rows, not about solving a task at length t: no computable bound does that (T12)",
};

constexpr TheoremInfo kInfo = {
    .id = "T8",
    .name = "wavelet_decay",
    .title = "Wavelet decay",
    .source = "Li, arXiv:2506.06398, section 6.1",
    .claim =
        "beyond the training length the difference of a wavelet row to PE(N) decays exponentially; "
        "the norm of a row is O(N sqrt(log N)) before it is normalised",
    .statement =
        "|PE(t) - PE(N)| = O(exp(-beta (t-N))) for a beta > 0, and max |PE(t)| = O(N sqrt(log N))",
    .conditions = kConditions,
};

constexpr Index kLengths[] = {50, 500, 5000};  // of the norm claim
constexpr Index kMostPoints = 1000;            // of a curve
constexpr Index kMostNorms = 1000;             // positions per length, at an odd stride: all phases

struct Wavelet {
  std::string spec;
  Extent extent;
  InputTable table;

  Vector row(Index t) const {
    Vector result(static_cast<std::size_t>(extent.dim));
    table.row(static_cast<double>(t), result);
    return result;
  }
  double norm(Index t) const { return as_eigen(std::span<const double>(row(t))).norm(); }
};

Wavelet make_wavelet(Index taps, Index train, std::string_view norm, Index dim) {
  Wavelet result{.spec = fmt::format("wavelet(taps={},train={},norm={})", taps, train, norm),
                 .extent = {.positions = train, .dim = dim},
                 .table = {}};
  result.table = *encodings().make(result.spec)->effects(result.extent).input;
  return result;
}

// From here on rows are zero, and no row before is: supports of neighbouring shifts overlap. They
// are at most (taps-1) N long and meet [0, N].
Index end_of_support(const Wavelet& wavelet, Index taps, Index train) {
  Index below = 0, zero = taps * train;
  while (zero - below > 1) {
    const Index middle = below + (zero - below) / 2;
    (wavelet.norm(middle) == 0.0 ? zero : below) = middle;
  }
  return zero;
}

Figure::Curve distance_curve(const Wavelet& wavelet, const TheoremOptions& options) {
  Figure::Curve curve{.name = wavelet.spec, .x = {}, .y = {}};
  const Vector last = wavelet.row(options.train);
  const Index stride = 1 + (options.to - options.train) / kMostPoints;
  for (Index t = options.train; t <= options.to; t += stride) {
    const Vector row = wavelet.row(t);
    curve.x.push_back(static_cast<double>(t));
    curve.y.push_back(
        (as_eigen(std::span<const double>(row)) - as_eigen(std::span<const double>(last))).norm());
  }
  return curve;
}

// Of |PE(t)| over t=first..last, at most kMostPoints of them.
double largest_norm(const Wavelet& wavelet, Index first, Index last) {
  double largest = 0.0;
  for (Index t = first; t <= last; t += 1 + (last - first) / kMostPoints)
    largest = std::max(largest, wavelet.norm(t));
  return largest;
}

std::vector<Finding> decay_findings(const Wavelet& wavelet, Index taps,
                                    const TheoremOptions& options) {
  const Index end = end_of_support(wavelet, taps, options.train);
  const double limit = wavelet.norm(options.train);
  const Index settled = std::max(end, options.train), zeros = std::max<Index>(0, options.to - end);
  const Index last = std::max(2 * end, options.to);
  const double beyond = largest_norm(wavelet, end, last);
  return {{.part = wavelet.spec,
           .quantity = fmt::format("|PE(t) - PE(N)| for every t >= {}", settled),
           .observed = limit,
           .bound = 0.0,
           .verdict = holds_if(!(limit > 0.0)),
           .remark = limit > 0.0 ? "every C exp(-beta (t-N)) tends to the bound 0; the distance "
                                   "stays at |PE(N)|"
                                 : "the row of N is zero already"},
          {.part = wavelet.spec,
           .quantity = fmt::format("|PE(t)|, the largest of t={}..{}", end, last),
           .observed = beyond,
           .bound = 0.0,
           .verdict = holds_if(beyond == 0.0),
           .remark = "of the rows themselves the decay is true: the support is compact"},
          {.part = wavelet.spec,
           .quantity = fmt::format("positions of 0..{} that share one code", options.to - 1),
           .observed = static_cast<double>(zeros),
           .bound = 1.0,
           .verdict = zeros > 1 ? ClaimVerdict::kHoldsUnderConditions : ClaimVerdict::kHolds,
           .remark = fmt::format("the zero row, from t={} on; the source's own limit: far "
                                 "positions may converge toward similar encodings",
                                 end)}};
}

// Columns for every atom: at most N/2^j + taps of each scale.
Index columns_of_all(Index taps, Index train) {
  return train + (taps + 1) * static_cast<Index>(std::ilogb(static_cast<double>(train)));
}

Finding norm_finding(Index taps, Index train) {
  const Wavelet wavelet = make_wavelet(taps, train, "none", columns_of_all(taps, train));
  const Index stride = (train / kMostNorms) | 1;
  double largest = 0.0;
  for (Index t = 0; t <= train; t += stride) largest = std::max(largest, wavelet.norm(t));
  const auto n = static_cast<double>(train);
  const double bound = n * std::sqrt(std::log(n));
  const double trivial = wavelet_radius(taps, std::ilogb(n));
  return {.part = wavelet.spec,
          .quantity = fmt::format("largest |PE(t)|, t=0,{}..N", stride),
          .observed = largest,
          .bound = bound,
          .verdict = largest > bound   ? ClaimVerdict::kViolated
                     : bound > trivial ? ClaimVerdict::kVacuous
                                       : ClaimVerdict::kHolds,
          .remark = fmt::format("the constant of O() taken as 1; that at most {} atoms of a scale "
                                "meet a position gives {:.3g}",
                                taps - 1, trivial)};
}

Finding exponent_finding(Index taps, const Finding& shortest, const Finding& longest) {
  const double decades =
      std::log(static_cast<double>(*std::rbegin(kLengths)) / static_cast<double>(kLengths[0]));
  const double observed = std::log(longest.observed / shortest.observed) / decades;
  const double bound = std::log(*longest.bound / *shortest.bound) / decades;
  return {.part = fmt::format("taps={}, N={}..{}", taps, kLengths[0], *std::rbegin(kLengths)),
          .quantity = "exponent of N in the largest |PE(t)|",
          .observed = observed,
          .bound = bound,
          .verdict = observed > bound ? ClaimVerdict::kViolated : ClaimVerdict::kVacuous,
          .remark = "no constant of O() enters; a bounded norm has exponent 0"};
}

TheoremCheck check(const TheoremOptions& options) {
  TheoremCheck result;
  Figure figure{.title = "Distance to the row of the training length",
                .x_label = "position t",
                .y_label = "|PE(t) - PE(N)|",
                .curves = {}};
  for (const Index taps : {4, 8}) {
    for (const std::string_view norm : {"none", "unit"}) {
      const Wavelet wavelet = make_wavelet(taps, options.train, norm, options.dim);
      for (Finding& finding : decay_findings(wavelet, taps, options))
        result.findings.push_back(std::move(finding));
      figure.curves.push_back(distance_curve(wavelet, options));
    }
  }
  const Finding first = result.findings[0], shared = result.findings[2];
  std::vector<Finding> norms;
  for (const Index taps : {4, 8}) {
    const std::size_t start = norms.size();
    for (const Index train : kLengths) norms.push_back(norm_finding(taps, train));
    norms.push_back(exponent_finding(taps, norms[start], norms.back()));
  }
  result.findings.insert(result.findings.end(), norms.begin(), norms.end());
  result.figures = {std::move(figure)};
  result.decisive = first.verdict == ClaimVerdict::kViolated ? 0 : 2;
  result.verdict = result.findings[result.decisive].verdict;
  const Index end =
      end_of_support(make_wavelet(4, options.train, "none", options.dim), 4, options.train);
  result.reason = fmt::format(
      "{},{} and for N={} the longest row measured is {:.3g} (no row exceeds 3) where N sqrt(log "
      "N) "
      "is {:.3g}",
      first.observed > 0.0
          ? fmt::format("the rows do vanish, from t={} on for N={} and 4 taps, and for that reason "
                        "|PE(t) - PE(N)| does not: it settles at |PE(N)| = {:.3g}",
                        end, options.train, first.observed)
          : fmt::format("with {} column{} and 4 taps the row of N is zero already", options.dim,
                        options.dim == 1 ? "" : "s"),
      shared.observed > 1.0
          ? fmt::format(" {:.0f} of {} positions share the zero row, which the source allows for,",
                        shared.observed, options.to)
          : "",
      *std::rbegin(kLengths), norms[2].observed, *norms[2].bound);
  return result;
}

}  // namespace

void register_wavelet_decay(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
