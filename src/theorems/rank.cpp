// SPDX-License-Identifier: Apache-2.0
// T11: the rank of the Gram matrix, what a low rank saves, and two remarks on tables that go with
// it: the sinusoidal one as "ambiguous beyond 10000", wavelets and Legendre polynomials as
// "orthogonal".
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "math/lapack.h"
#include "sextant/registry.h"
#include "sextant/theorem.h"
#include "theory/example_laws.h"
#include "theory/nearest_repeat.h"
#include "theory/used_size.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "B = -1/2 J D2 J is centred, so that its rank is at most n-1",
    "r(n+d) is less than n d only for r < n d / (n+d)",
    "the set of tables of rank r has r(n+d-r) degrees of freedom: r^2 of r(n+d) are gauge",
    "r is the rank itself, or d where a table has no more columns; a smaller one loses distances",
    "sinusoidal table with base 10000 at whole positions",
    "orthogonal is said of function bases; the tables hold samples of them: measured, no claim",
};

constexpr TheoremInfo kInfo = {
    .id = "T11",
    .name = "rank",
    .title = "Rank and parameters",
    .source =
        "Cirrincione, arXiv:2604.05217, minimal parametrisation; the remarks on tables: Li, "
        "arXiv:2506.06398",
    .claim =
        "the optimal encoding has rank r = rank(B) <= n-1 and is represented with r(n+d) "
        "parameters instead of n d",
    .statement =
        "rank(B) <= n-1; r(n+d) < n d iff r < n d/(n+d); the degrees of freedom are r(n+d-r)",
    .conditions = kConditions,
};

constexpr Index kReferenceDim = 768;  // BERT-base
constexpr Index kMostLaws = 256;      // rank of B is looked at up to this n
constexpr Index kMostRows = 1024;     // of a table whose columns are compared
constexpr Index kLastLag = 1'000'000;
constexpr Index kAmbiguousFrom = 10'000;

// ---------------------------------------------------------------------------------------------
// Rank and counts

Finding rank_finding(Index n, Index words, const TheoremOptions& options) {
  const Index rank =
      ranks(eigenvalues(gram_of_distances(hellinger_of_laws(random_laws(n, words, options.seed)))))
          .numerical;
  return {
      .part = fmt::format("B of {} random laws over {} words", used_size(n, options.train), words),
      .quantity = "rank",
      .observed = static_cast<double>(rank),
      .bound = static_cast<double>(std::min(n - 1, words)),
      .verdict = holds_if(rank <= std::min(n - 1, words)),
      .remark = words < n ? "roots of laws over few words span no more" : ""};
}

bool saves(Index r, Index n, Index dim) { return r * (n + dim) < n * dim; }

// The last n at which r = n-1 saves anything. That is n (n-1) < dim, found by counting.
Index last_saving_length(Index dim) {
  Index n = 1;
  while (saves(n, n + 1, dim)) ++n;
  return n;
}

Finding break_even_finding(Index dim) {
  const Index n = last_saving_length(dim);
  return {
      .part = fmt::format("d={}", dim),
      .quantity = "last n at which r = n-1 saves anything",
      .observed = static_cast<double>(n),
      .verdict = ClaimVerdict::kHoldsUnderConditions,
      .remark = fmt::format("at n={}: r(n+d) = {} against n d = {}; at n={}: {} against {}", n,
                            (n - 1) * (n + dim), n * dim, n + 1, n * (n + 1 + dim), (n + 1) * dim)};
}

Finding parameters_finding(const TheoremOptions& options) {
  const Index n = options.train, dim = options.dim, r = std::min(n - 1, dim);
  Index most = 0;
  while (saves(most + 1, n, dim)) ++most;
  return {.part = fmt::format("n={}, d={}, r={}", n, dim, r),
          .quantity = "r(n+d) parameters, against n d",
          .observed = static_cast<double>(r * (n + dim)),
          .bound = static_cast<double>(n * dim),
          .verdict = saves(r, n, dim) ? ClaimVerdict::kHolds : ClaimVerdict::kHoldsUnderConditions,
          .remark = fmt::format("{}{}r(n+d) saves up to r={}; degrees of freedom r(n+d-r) = {}",
                                saves(r, n, dim) ? "" : "a representation, but no saving: ",
                                r < n - 1 ? "r = d, for a table has no more columns: " : "", most,
                                r * (n + dim - r))};
}

// X X^T.
Matrix row_gram(const Matrix& x) {
  const Index n = x.rows(), dim = x.cols();
  Matrix gram(n, n);
  multiply_transposed(n, n, dim, 1.0, x.values().data(), dim, x.values().data(), dim, 0.0,
                      gram.values().data(), n);
  return gram;
}

// The dimension of the tables U V^T near a random one: the rank of (dU, dV) -> dU V^T + U dV^T.
Index tangent_rank(Index n, Index dim, Index r, std::uint64_t seed) {
  const Rng rng(seed, static_cast<std::uint64_t>(r));
  const auto u = [&](Index i, Index k) {
    return rng.normal(static_cast<std::uint64_t>(i * r + k));
  };
  const auto v = [&](Index j, Index k) {
    return rng.normal(static_cast<std::uint64_t>((n + j) * r + k));
  };
  Matrix map(n * dim, r * (n + dim));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < dim; ++j) {
      for (Index k = 0; k < r; ++k) {
        map(i * dim + j, i * r + k) = v(j, k);
        map(i * dim + j, (n + j) * r + k) = u(i, k);
      }
    }
  }
  return ranks(eigenvalues(row_gram(map))).numerical;
}

Finding freedom_finding(std::uint64_t seed) {
  constexpr Index kRows = 7, kColumns = 5;
  Index wrong = 0;
  for (Index r = 1; r <= kColumns; ++r)
    wrong += tangent_rank(kRows, kColumns, r, seed) == r * (kRows + kColumns - r) ? 0 : 1;
  return {.part = fmt::format("n={}, d={}, r=1..{}", kRows, kColumns, kColumns),
          .quantity = "ranks r at which the tangent space of U V^T is not r(n+d-r) wide",
          .observed = static_cast<double>(wrong),
          .bound = 0.0,
          .verdict = holds_if(wrong == 0),
          .remark = "U G and V G^-T give the same table: r^2 of the r(n+d) numbers are gauge"};
}

// ---------------------------------------------------------------------------------------------
// Remarks on tables

struct Repeats {
  double neighbour;        // the distance of neighbours
  NearestRepeat all, far;  // of all offsets, and of those beyond kAmbiguousFrom
  bool ambiguous() const { return far.distance < neighbour; }

  explicit Repeats(Index dim)
      : neighbour(sinusoidal_distance(dim, 1)),
        all(nearest_repeat(dim, 1, kLastLag)),
        far(nearest_repeat(dim, kAmbiguousFrom + 1, kLastLag)) {}

  // "no repeat up to 1000000, the closest approach beyond 10000 is 5.29 at offset 847603".
  std::string text() const {
    return fmt::format("{} up to {}, the closest approach beyond {} is {:.3g} at offset {}",
                       ambiguous() ? "rows nearly repeat" : "no repeat", kLastLag, kAmbiguousFrom,
                       far.distance, far.lag);
  }
};

std::vector<Finding> repeat_findings(const Repeats& found, Index dim) {
  const NearestRepeat &all = found.all, &far = found.far;
  const double neighbour = found.neighbour;
  return {
      {.part = fmt::format("sinusoidal, d={}, offsets 1..{}", dim, kLastLag),
       .quantity = "least distance of two rows, not below that of neighbours",
       .observed = all.distance,
       .lower = neighbour,
       .verdict = holds_if(all.distance >= neighbour),
       .remark = fmt::format("at offset {}", all.lag)},
      {.part = fmt::format("sinusoidal, d={}, offsets {}..{}", dim, kAmbiguousFrom + 1, kLastLag),
       .quantity = "least distance of two rows; ambiguity needs less than that of neighbours",
       .observed = far.distance,
       .bound = neighbour,
       .verdict = holds_if(found.ambiguous()),
       .remark = fmt::format("remark of Li, 'periodic ambiguity beyond ~10000 positions': {}; the "
                             "sweep is good to {:.1g}",
                             found.text(), std::max(all.rounding, far.rounding))}};
}

// max |<x_i, x_j>| / (|x_i| |x_j|) over the rows of x that are not zero.
double coherence(const Matrix& x) {
  const Index n = x.rows();
  const Matrix gram = row_gram(x);
  double worst = 0.0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double scale = std::sqrt(gram(i, i) * gram(j, j));
      if (scale > 0.0) worst = std::max(worst, std::abs(gram(i, j)) / scale);
    }
  }
  return worst;
}

Matrix transposed(const Matrix& m) {
  Matrix result(m.cols(), m.rows());
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) result(j, i) = m(i, j);
  return result;
}

void add_coherence(const std::string& spec, Index n, Index dim, std::vector<Finding>& findings) {
  const Extent extent{.positions = n, .dim = dim};
  const Effects effects = encodings().make(spec)->effects(extent);
  const Matrix table = input_rows(*effects.input, extent, Positions::range(n));
  findings.push_back(
      {.part = fmt::format("{}, n={}, d={}", spec, n, dim),
       .quantity = "largest |cosine| between two columns",
       .observed = coherence(transposed(table)),
       .verdict = ClaimVerdict::kNotTestable,
       .remark = fmt::format(
           "measured, no claim: function bases are called orthogonal, these are samples, {}",
           dim > n ? "and more columns than positions" : "cut at n")});
  findings.push_back({.part = findings.back().part,
                      .quantity = "largest |cosine| between two rows",
                      .observed = coherence(table),
                      .verdict = ClaimVerdict::kNotTestable,
                      .remark = "measured, no claim: a basis is a matter of columns"});
}

std::vector<Finding> coherence_findings(const TheoremOptions& options) {
  const Index n = std::min(options.train, kMostRows);
  std::vector<Index> widths = {options.dim};
  // Few columns beside it: there the samples come closest to the integrals.
  if (const Index few = std::max<Index>(2, n / 4); few < options.dim) widths.push_back(few);
  std::vector<Finding> findings;
  for (const Index dim : widths) {
    for (const std::string& spec :
         {fmt::format("wavelet(train={})", n), fmt::format("wavelet(taps=8,train={})", n),
          fmt::format("legendre(train={})", n)})
      add_coherence(spec, n, dim, findings);
  }
  return findings;
}

// ---------------------------------------------------------------------------------------------

Figure repeat_figure(Index dim) {
  Figure figure{.title = "Distance of two rows of the sinusoidal table",
                .x_label = "offset",
                .y_label = "|p_s - p_t|",
                .log_x = true,
                .curves = {{.name = fmt::format("d={}", dim), .x = {}, .y = {}}}};
  constexpr int kSamples = 240;
  Index last = 0;
  for (int k = 0; k <= kSamples; ++k) {
    const auto lag = static_cast<Index>(
        std::llround(std::pow(static_cast<double>(kLastLag), static_cast<double>(k) / kSamples)));
    if (lag == last) continue;
    last = lag;
    figure.curves[0].x.push_back(static_cast<double>(lag));
    figure.curves[0].y.push_back(sinusoidal_distance(dim, lag));
  }
  return figure;
}

TheoremCheck check(const TheoremOptions& options) {
  const Index laws = std::min(options.train, kMostLaws);
  const Index even = std::max<Index>(2, options.dim - options.dim % 2);
  TheoremCheck result;
  result.findings = {parameters_finding(options),
                     rank_finding(laws, 2 * laws, options),
                     rank_finding(laws, std::max<Index>(2, laws / 2), options),
                     freedom_finding(options.seed),
                     break_even_finding(kReferenceDim),
                     break_even_finding(options.dim)};
  const auto wrong = std::ranges::find(result.findings, ClaimVerdict::kViolated, &Finding::verdict);
  const bool counted = wrong == result.findings.end();
  result.verdict = counted ? ClaimVerdict::kHoldsUnderConditions : ClaimVerdict::kViolated;
  result.decisive = counted ? 1 : static_cast<std::size_t>(wrong - result.findings.begin());
  const Finding parameters = result.findings[0];
  const double rank = result.findings[1].observed;
  const Repeats repeats(even);
  for (Finding& finding : repeat_findings(repeats, even))
    result.findings.push_back(std::move(finding));
  for (Finding& finding : coherence_findings(options))
    result.findings.push_back(std::move(finding));
  result.figures = {repeat_figure(even)};
  result.reason = fmt::format(
      "B of {} laws has rank {}, at most n-1, and r(n+d) numbers represent the table, but they are "
      "fewer than n d only for r < n d/(n+d): {} against {} for {}, and with r = n-1 no longer "
      "beyond n={} for d={} and n={} for d={}; Li's remark that sinusoidal rows are ambiguous "
      "beyond ~10000 {} for d={}: {}",
      laws, rank, parameters.observed, parameters.bound.value_or(0.0), parameters.part,
      last_saving_length(kReferenceDim), kReferenceDim, last_saving_length(options.dim),
      options.dim, repeats.ambiguous() ? "is right" : "is contradicted", even, repeats.text());
  return result;
}

}  // namespace

void register_rank(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
