// SPDX-License-Identifier: Apache-2.0
// T5: what the norm of positional rows says about Rademacher complexity, class by class.
//
// For linear read-outs the published bound is exact up to a constant. Over all Lipschitz functions,
// which the source does not claim, there is no such rate: separated rows can be given any signs. A
// transformer of bounded weights is between the two, and its layers have a Lipschitz constant on a
// ball only (theory/lipschitz_study.h).
#include "theory/rademacher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "sextant/error.h"
#include "sextant/theorem.h"
#include "theory/lipschitz_study.h"
#include "theory/row_norms.h"
#include "theory/subject.h"
#include "theory/used_size.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    ("the hypothesis class is named: linear read-outs |w| <= Lambda = 1 of the rows, or fixed "
     "layers of constant L under such a read-out"),
    "weights are bounded, |W| <= C_W, and each layer is Lipschitz on the inputs in question",
    "dot-product attention is not globally Lipschitz: the radius of the inputs is a condition",
    "single head and no LayerNorm in the source; both are measured here as well",
    "B_x = 0 by convention: norms are those of the positional rows alone",
};

constexpr TheoremInfo kInfo = {
    .id = "T5",
    .name = "rademacher",
    .title = "Rademacher complexity and the norm of the encoding",
    .source = "Li, arXiv:2506.06398, section 4.2 and table 2",
    .claim =
        "the complexity of a Lipschitz transformer of bounded weights is O(L B_0 / sqrt m) up to "
        "logarithmic factors, with B_0 = B_x + sqrt(d) for sinusoidal rows, B_x + B_p for learned "
        "ones, and logits shifted by up to alpha (N-1) for ALiBi",
    .statement =
        "for read-outs x -> <w, x>, |w| <= Lambda, on m rows: (1/sqrt 2) Lambda sqrt(sum "
        "|p_i|^2)/m <= R_m <= Lambda sqrt(sum |p_i|^2)/m <= Lambda B_0/sqrt m",
    .conditions = kConditions,
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-12;    // relative
constexpr Index kMostLinear = 4096;    // rows m of linear read-outs
constexpr Index kMostLipschitz = 512;  // rows of the Lipschitz class: its cost is quadratic
constexpr std::string_view kLinear = "class: linear read-outs x -> <w, x>, |w| <= 1";
constexpr std::string_view kLipschitz = "class: all f with |f(x)-f(y)| <= L |x-y|, f(0) = 0, L = 1";

bool exceeds(double value, double bound) { return value > bound * (1.0 + kRounding); }

// One encoding under study, or all of them: findings by what they compare, and curves.
struct Study {
  std::vector<Finding> norms = {}, sides = {}, published = {}, ours = {}, measured = {},
                       lipschitz = {};
  std::vector<Figure::Curve> profile = {}, complexity = {};
};

Finding no_rows(const TestedEncoding& subject, std::string_view why) {
  return {.part = subject.spec,
          .quantity = "largest |p_t|, against B_0",
          .observed = kNone,
          .verdict = ClaimVerdict::kNotTestable,
          .remark = fmt::format("not applicable: {}", why)};
}

Finding norm_finding(const TestedEncoding& subject, const SampledNorms& sampled, Index last,
                     const std::optional<PublishedRadius>& published) {
  Finding finding{.part = subject.spec,
                  .quantity = fmt::format("largest |p_t|, t=0..{}, against B_0", last),
                  .observed = std::ranges::max(sampled.norms),
                  .verdict = ClaimVerdict::kNotTestable,
                  .remark = "no claim to test: the source gives no B_0"};
  if (published) {
    finding.bound = published->value;
    finding.verdict = exceeds(finding.observed, published->value)     ? ClaimVerdict::kViolated
                      : exceeds(published->value, published->trivial) ? ClaimVerdict::kVacuous
                                                                      : ClaimVerdict::kHolds;
    finding.remark = published->text;
  }
  finding.remark += fmt::format("; B_x = 0{}", draw_remark(subject));
  if (!sampled.ends.empty())
    finding.remark += fmt::format("; rows end before t={}: {}", sampled.norms.size(), sampled.ends);
  return finding;
}

// R_m between Khintchine's two sides.
Finding sides_finding(const TestedEncoding& subject, const RademacherEstimate& estimate, Index m,
                      Index train) {
  const double low = estimate.value - estimate.half_width;
  const double high = estimate.value + estimate.half_width;
  const double lower = estimate.root_mean_square / std::numbers::sqrt2;
  return {.part = subject.spec,
          .quantity = fmt::format("R_m of linear read-outs, m={}", used_size(m, train)),
          .observed = estimate.value,
          .interval = std::array{low, high},
          .lower = lower,
          .bound = estimate.root_mean_square,
          .verdict = exceeds(low, estimate.root_mean_square) || exceeds(lower, high)
                         ? ClaimVerdict::kViolated
                         : ClaimVerdict::kHolds,
          .remark = fmt::format("{}{}{}", kLinear, draw_remark(subject),
                                m > kMostExactSigns
                                    ? "; the estimate is below the upper side by construction, so "
                                      "that only the lower one is put to the test"
                                    : "")};
}

// The same against the bound of the source.
Finding source_finding(Finding finding, const RademacherEstimate& estimate, double radius, Index m,
                       std::string_view origin) {
  const double bound = radius / std::sqrt(static_cast<double>(m));
  finding.quantity += ", against B_0/sqrt m";
  finding.lower.reset();
  finding.bound = bound;
  finding.verdict = exceeds(estimate.value - estimate.half_width, bound) ? ClaimVerdict::kViolated
                    : exceeds(bound, estimate.trivial)                   ? ClaimVerdict::kVacuous
                                                                         : ClaimVerdict::kHolds;
  finding.remark += fmt::format("; B_0 = {:.4g} ({}); (1/m) sum |p_i| = {:.3g} bounds it trivially",
                                radius, origin, estimate.trivial);
  return finding;
}

void add_linear(const TestedEncoding& subject, const Matrix& rows,
                const std::optional<PublishedRadius>& published, const TheoremOptions& options,
                Study& study) {
  const RademacherEstimate estimate = linear_rademacher(rows, options.seed);
  const Finding sides = sides_finding(subject, estimate, rows.rows(), options.train);
  study.sides.push_back(sides);
  const auto against = [&](double radius, std::string_view origin) {
    return source_finding(sides, estimate, radius, rows.rows(), origin);
  };
  if (!published)
    study.measured.push_back(
        against(std::ranges::max(row_norms(rows)), "as measured: the source gives none"));
  else if (published->origin == PublishedRadius::Origin::kMeasured)
    study.measured.push_back(against(published->value, "as measured on the same table"));
  else
    (published->origin == PublishedRadius::Origin::kOurs ? study.ours : study.published)
        .push_back(against(published->value, published->text));
}

Finding lipschitz_finding(const TestedEncoding& subject, const Matrix& rows,
                          const std::optional<PublishedRadius>& published) {
  const double radius = published ? published->value : std::ranges::max(row_norms(rows));
  const double floor = lipschitz_rademacher_floor(rows);
  const double bound = radius / std::sqrt(static_cast<double>(rows.rows()));
  const bool beyond = exceeds(floor, bound);
  return {.part = subject.spec,
          .quantity = fmt::format("least R_m of Lipschitz functions, m={}, against L B_0/sqrt m",
                                  rows.rows()),
          .observed = floor,
          .bound = bound,
          .verdict = ClaimVerdict::kNotTestable,
          .remark = fmt::format(
              "not claimed by the source, whose weights are bounded; {}; {}", kLipschitz,
              beyond ? "beyond the bound: separated rows can take any signs, so that "
                       "this does not fall as long as rows stay this far apart"
                     : "only a lower estimate of R_m")};
}

Figure::Curve norm_curve(const TestedEncoding& subject, const Vector& norms) {
  Figure::Curve curve{.name = subject.spec, .x = Vector(norms.size()), .y = norms};
  std::iota(curve.x.begin(), curve.x.end(), 0.0);
  return curve;
}

// Both classes on the first m = 2, 4, 8, ... rows.
std::vector<Figure::Curve> complexity_curves(const TestedEncoding& subject, const Matrix& rows,
                                             std::uint64_t seed) {
  Figure::Curve linear{.name = fmt::format("{}: linear", subject.spec), .x = {}, .y = {}};
  Figure::Curve lipschitz{
      .name = fmt::format("{}: Lipschitz, at least", subject.spec), .x = {}, .y = {}};
  for (Index m = 2; m <= rows.rows(); m *= 2) {
    const Matrix first = first_rows(rows, m);
    linear.x.push_back(static_cast<double>(m));
    linear.y.push_back(linear_rademacher(first, seed).value);
    lipschitz.y.push_back(lipschitz_rademacher_floor(first));
  }
  lipschitz.x = linear.x;
  return {std::move(linear), std::move(lipschitz)};
}

// What else a position does, where it adds no row. Maps and offsets are as wide as a head, up to
// kMostSubjectDim: norms are singular values.
std::string without_rows(const TestedEncoding& subject, const TheoremOptions& options, Index last) {
  const bool divides = options.dim % options.heads == 0;
  const Index width = divides ? options.dim / options.heads : options.dim;
  const Extent extent = subject.encoding->fitted(
      {.positions = last + 1, .dim = std::min(width, kMostSubjectDim), .heads = options.heads});
  const std::string norms = other_norms(subject.encoding->effects(extent), extent, last);
  return fmt::format("no input site; {}{}{}", norms.empty() ? "positions do nothing" : norms,
                     width > extent.dim ? ", width " + used_size(extent.dim, width) : "",
                     draw_remark(subject));
}

Study rows_study(const TestedEncoding& subject, const TheoremOptions& options) {
  const auto extent = [&](Index positions) {
    return subject.encoding->fitted(
        {.positions = positions, .dim = options.dim, .heads = options.heads});
  };
  const auto rows_of = [&](Index positions, Index count) {
    const Extent size = extent(positions);
    return sampled_rows(*subject.encoding->effects(size).input, size, count).rows;
  };
  const auto norms_of = [&](Index positions) {
    const Extent size = extent(positions);
    return sampled_norms(*subject.encoding->effects(size).input, size, positions);
  };
  const Index last = 2 * options.train, few = std::min(options.to, kMostLipschitz);
  const SampledNorms trained = norms_of(options.train), all = norms_of(last + 1);
  if (trained.norms.empty() || all.norms.empty())
    return {.norms = {no_rows(subject, trained.ends)}};
  const Matrix spread = rows_of(few, few);
  const auto published =
      published_radius(subject, extent(options.train), std::ranges::max(trained.norms));
  Study study{.norms = {norm_finding(subject, all, last, published)},
              .profile = {norm_curve(subject, all.norms)},
              .complexity = complexity_curves(subject, spread, options.seed)};
  add_linear(subject, rows_of(options.train, std::min(options.train, kMostLinear)), published,
             options, study);
  if (spread.rows() > 1) study.lipschitz.push_back(lipschitz_finding(subject, spread, published));
  return study;
}

Study study_of(const TestedEncoding& subject, const TheoremOptions& options) {
  if (!subject.encoding)
    return {.norms = {no_rows(subject, fmt::format("needs a file ({})", subject.missing))}};
  try {
    if (subject.encoding->info().sites.input) return rows_study(subject, options);
    return {.norms = {no_rows(subject, without_rows(subject, options, 2 * options.train))}};
  } catch (const Error& error) {
    return {.norms = {no_rows(subject, error.what())}};
  }
}

// Table 2 of the source has no radius for ALiBi but a shift of the logits.
Finding alibi_finding(const TheoremOptions& options) {
  const auto alibi = encodings().make(fmt::format("alibi(slope={})", options.alpha));
  const Effects effects = alibi->effects({.positions = options.train, .dim = 1, .heads = 1});
  const auto last = static_cast<double>(options.train - 1);
  double largest = 0.0;
  for (Index t = 0; t < options.train; ++t)
    largest = std::max(largest, std::abs(effects.logit->at(0, last, static_cast<double>(t))));
  const double bound = options.alpha * last;
  return {.part = alibi->spec(),
          .quantity = fmt::format("largest |bias| at length {}", options.train),
          .observed = largest,
          .bound = bound,
          .verdict = holds_if(!exceeds(largest, bound)),
          .remark = "no input site: logits shift by up to alpha (N-1)"};
}

void append(std::vector<Finding> from, std::vector<Finding>& to) {
  std::ranges::move(from, std::back_inserter(to));
}

std::vector<Finding>::const_iterator find(const std::vector<Finding>& findings,
                                          ClaimVerdict verdict) {
  return std::ranges::find(findings, verdict, &Finding::verdict);
}

// Among bounds of the source the one that is nearest to being reached, and says something.
const Finding& tightest(const std::vector<Finding>& findings) {
  const auto tightness = [](const Finding& finding) {
    const bool holds = finding.verdict == ClaimVerdict::kHolds;
    return holds ? finding.observed / finding.bound.value_or(1.0) : -1.0;
  };
  return *std::ranges::max_element(findings, {}, tightness);
}

// "m=50" of a quantity that names it.
std::string size_in(const std::string& quantity) {
  const std::size_t start = quantity.find("m=");
  return quantity.substr(start, quantity.find(',', start) - start);
}

// The sentence on the other class, or nothing. Of several, the rows that the source begins with.
std::string lipschitz_reason(const std::vector<Finding>& findings) {
  const auto beyond = [](const Finding& finding) {
    return finding.bound && exceeds(finding.observed, *finding.bound);
  };
  auto found = std::ranges::find_if(findings, [&](const Finding& finding) {
    return beyond(finding) && finding.part.starts_with("sinusoidal");
  });
  if (found == findings.end()) found = std::ranges::find_if(findings, beyond);
  if (found == findings.end()) return "";
  return fmt::format(
      "; the bounded weights that the source assumes are needed, for over all Lipschitz functions "
      "of the rows of {} it is at least {:.3g} at {}, beyond the {:.3g} of L B_0/sqrt m",
      found->part, found->observed, size_in(found->quantity), found->bound.value_or(0.0));
}

std::string sides_reason(const Study& all, Index train) {
  const auto outside = find(all.sides, ClaimVerdict::kViolated);
  if (outside != all.sides.end())
    return fmt::format("R_m of {} leaves Khintchine's sides at {}: {:.3g} against {:.3g} to {:.3g}",
                       outside->part, size_in(outside->quantity), outside->observed,
                       outside->lower.value_or(0.0), outside->bound.value_or(0.0));
  return fmt::format(
      "R_m of {} {} keeps Khintchine's {}", all.sides.size(),
      all.sides.size() == 1 ? "input table" : "input tables",
      train > kMostExactSigns ? "lower side (the upper holds by construction)" : "two sides");
}

// Only what the source gives as a number or an order says something about its bound.
std::string source_reason(const std::vector<Finding>& published) {
  if (published.empty()) return "; the source gives no number B_0 for them";
  std::vector<std::string> words;
  words.reserve(published.size());
  for (const Finding& finding : published)
    words.push_back(finding.verdict == ClaimVerdict::kVacuous
                        ? fmt::format("that of {} is vacuous", finding.part)
                        : fmt::format("that of {} gives {:.3g} against {:.3g} at {}", finding.part,
                                      finding.bound.value_or(0.0), finding.observed,
                                      size_in(finding.quantity)));
  return fmt::format("; of the source's B_0/sqrt m {}", fmt::join(words, ", "));
}

// The verdict is that on linear read-outs.
void decide(const Study& all, Index train, TheoremCheck& result) {
  if (all.sides.empty()) {
    result.reason = "none of these encodings gave input rows: see the findings";
    return;
  }
  const auto outside = find(all.sides, ClaimVerdict::kViolated);
  const auto above = find(all.published, ClaimVerdict::kViolated);
  const Finding& decisive = outside != all.sides.end()     ? *outside
                            : above != all.published.end() ? *above
                            : !all.published.empty()       ? tightest(all.published)
                            : !all.ours.empty()            ? tightest(all.ours)
                                                           : tightest(all.measured);
  result.decisive =
      static_cast<std::size_t>(std::ranges::find_if(result.findings,
                                                    [&](const Finding& finding) {
                                                      return finding.part == decisive.part &&
                                                             finding.quantity == decisive.quantity;
                                                    }) -
                               result.findings.begin());
  const bool holds = decisive.verdict == ClaimVerdict::kHolds;
  result.verdict = holds ? ClaimVerdict::kHoldsUnderConditions : decisive.verdict;
  result.reason = fmt::format(
      "for linear read-outs, the one class computed here (not transformers), {}{}{}",
      sides_reason(all, train), source_reason(all.published), lipschitz_reason(all.lipschitz));
}

TheoremCheck check(const TheoremOptions& options) {
  Study all;
  for (const TestedEncoding& subject : tested_encodings(options)) {
    Study study = study_of(subject, options);
    append(std::move(study.norms), all.norms);
    append(std::move(study.sides), all.sides);
    append(std::move(study.published), all.published);
    append(std::move(study.ours), all.ours);
    append(std::move(study.measured), all.measured);
    append(std::move(study.lipschitz), all.lipschitz);
    std::ranges::move(study.profile, std::back_inserter(all.profile));
    std::ranges::move(study.complexity, std::back_inserter(all.complexity));
  }
  all.norms.push_back(alibi_finding(options));
  LipschitzStudy layers = lipschitz_study(options);

  TheoremCheck result;
  for (const auto* part :
       {&all.norms, &all.sides, &all.published, &all.ours, &all.measured, &all.lipschitz})
    append(*part, result.findings);
  decide(all, options.train, result);
  append(std::move(layers.findings), result.findings);
  result.figures = {{.title = "Norm of a row",
                     .x_label = "position t",
                     .y_label = "|p_t|",
                     .curves = std::move(all.profile)},
                    {.title = "Rademacher complexity of two classes on m rows",
                     .x_label = "rows m",
                     .y_label = "R_m",
                     .log_x = true,
                     .log_y = true,
                     .curves = std::move(all.complexity)}};
  std::ranges::move(layers.figures, std::back_inserter(result.figures));
  return result;
}

}  // namespace

void register_rademacher(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
