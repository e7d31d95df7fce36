// SPDX-License-Identifier: Apache-2.0
// T5: what the norm of positional rows says about Rademacher complexity, class by class.
//
// For linear read-outs the published bound is exact up to a constant. For all Lipschitz functions
// it is false: separated rows can be given any signs. A transformer of bounded weights is between
// the two, and its layers have a Lipschitz constant on a ball only (theory/lipschitz_study.h).
#include "theory/rademacher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sextant/error.h"
#include "sextant/theorem.h"
#include "theory/lipschitz_study.h"
#include "theory/row_norms.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "the hypothesis class is named: linear read-outs |w| <= Lambda = 1 of the rows, or fixed "
    "layers "
    "of constant L under such a read-out",
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
        "the complexity of a Lipschitz transformer is O(L B_0 / sqrt m), with B_0 = B_x + sqrt(d) "
        "for "
        "sinusoidal rows, B_x + B_p for learned ones, and logits shifted by up to alpha (N-1) for "
        "ALiBi",
    .statement =
        "for read-outs x -> <w, x>, |w| <= Lambda, on m rows: (1/sqrt 2) Lambda sqrt(sum "
        "|p_i|^2)/m "
        "<= R_m <= Lambda sqrt(sum |p_i|^2)/m <= Lambda B_0/sqrt m",
    .conditions = kConditions,
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-12;    // relative
constexpr Index kMostLipschitz = 512;  // rows of the Lipschitz class: its cost is quadratic
constexpr std::string_view kLinear = "class: linear read-outs x -> <w, x>, |w| <= 1";
constexpr std::string_view kLipschitz = "class: all f with |f(x)-f(y)| <= L |x-y|, f(0) = 0, L = 1";

bool exceeds(double value, double bound) { return value > bound * (1.0 + kRounding); }

// One encoding under study, or all of them: findings by what they compare, and curves.
struct Study {
  std::vector<Finding> norms = {}, sides = {}, published = {}, measured = {}, lipschitz = {};
  std::vector<Figure::Curve> profile = {}, complexity = {};
};

Finding no_rows(const TestedEncoding& subject, std::string_view why) {
  return {.part = subject.spec,
          .quantity = "largest |p_t|, against B_0",
          .observed = kNone,
          .verdict = ClaimVerdict::kNotTestable,
          .remark = fmt::format("not applicable: {}", why)};
}

Finding norm_finding(const TestedEncoding& subject, const SampledRows& sampled, Index last,
                     const std::optional<PublishedRadius>& published) {
  Finding finding{.part = subject.spec,
                  .quantity = fmt::format("largest |p_t|, t=0..{}, against B_0", last),
                  .observed = std::ranges::max(row_norms(sampled.rows)),
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
    finding.remark += fmt::format("; rows end before t={}: {}", sampled.rows.rows(), sampled.ends);
  return finding;
}

// R_m between Khintchine's two sides.
Finding sides_finding(const TestedEncoding& subject, const RademacherEstimate& estimate, Index m) {
  const double low = estimate.value - estimate.half_width;
  const double high = estimate.value + estimate.half_width;
  const double lower = estimate.root_mean_square / std::numbers::sqrt2;
  return {.part = subject.spec,
          .quantity = fmt::format("R_m of linear read-outs, m={}", m),
          .observed = estimate.value,
          .interval = std::array{low, high},
          .lower = lower,
          .bound = estimate.root_mean_square,
          .verdict = exceeds(low, estimate.root_mean_square) || exceeds(lower, high)
                         ? ClaimVerdict::kViolated
                         : ClaimVerdict::kHolds,
          .remark = fmt::format("{}{}", kLinear, draw_remark(subject))};
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
  finding.remark += fmt::format("; B_0 = {:.4g} {}; (1/m) sum |p_i| = {:.3g} bounds it trivially",
                                radius, origin, estimate.trivial);
  return finding;
}

void add_linear(const TestedEncoding& subject, const Matrix& rows,
                const std::optional<PublishedRadius>& published, std::uint64_t seed, Study& study) {
  const RademacherEstimate estimate = linear_rademacher(rows, seed);
  const Finding sides = sides_finding(subject, estimate, rows.rows());
  study.sides.push_back(sides);
  if (published)
    study.published.push_back(
        source_finding(sides, estimate, published->value, rows.rows(), "as published"));
  else
    study.measured.push_back(source_finding(sides, estimate, std::ranges::max(row_norms(rows)),
                                            rows.rows(), "as measured: the source gives none"));
}

Finding lipschitz_finding(const TestedEncoding& subject, const Matrix& rows,
                          const std::optional<PublishedRadius>& published) {
  const double radius = published ? published->value : std::ranges::max(row_norms(rows));
  const double floor = lipschitz_rademacher_floor(rows);
  const double bound = radius / std::sqrt(static_cast<double>(rows.rows()));
  const bool violated = exceeds(floor, bound);
  return {
      .part = subject.spec,
      .quantity =
          fmt::format("least R_m of Lipschitz functions, m={}, against L B_0/sqrt m", rows.rows()),
      .observed = floor,
      .bound = bound,
      .verdict = violated ? ClaimVerdict::kViolated : ClaimVerdict::kNotTestable,
      .remark = fmt::format("{}; {}", kLipschitz,
                            violated ? "separated rows can take any signs, so that this does not "
                                       "fall with m as the bound does"
                                     : "no claim decided: only a lower estimate of R_m")};
}

Figure::Curve norm_curve(const TestedEncoding& subject, const Matrix& rows) {
  Figure::Curve curve{.name = subject.spec, .x = {}, .y = row_norms(rows)};
  for (Index t = 0; t < rows.rows(); ++t) curve.x.push_back(static_cast<double>(t));
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

// What else a position does, where it adds no row. Maps and offsets are as wide as a head.
std::string without_rows(const TestedEncoding& subject, const TheoremOptions& options, Index last) {
  const bool divides = options.dim % options.heads == 0;
  const Extent extent =
      subject.encoding->fitted({.positions = last + 1,
                                .dim = divides ? options.dim / options.heads : options.dim,
                                .heads = options.heads});
  const std::string norms = other_norms(subject.encoding->effects(extent), extent, last);
  return fmt::format("no input site; {}{}", norms.empty() ? "positions do nothing" : norms,
                     draw_remark(subject));
}

Study rows_study(const TestedEncoding& subject, const TheoremOptions& options) {
  const auto extent = [&](Index positions) {
    return subject.encoding->fitted(
        {.positions = positions, .dim = options.dim, .heads = options.heads});
  };
  const auto rows_of = [&](Index count) {
    return sampled_rows(*subject.encoding->effects(extent(count)).input, extent(count), count);
  };
  const Index last = 2 * options.train;
  const SampledRows trained = rows_of(options.train), all = rows_of(last + 1);
  const SampledRows spread = rows_of(std::min(options.to, kMostLipschitz));
  if (trained.rows.rows() == 0 || all.rows.rows() == 0)
    return {.norms = {no_rows(subject, trained.ends)}};
  const auto published = published_radius(subject, extent(options.train), trained.rows);
  Study study{.norms = {norm_finding(subject, all, last, published)},
              .profile = {norm_curve(subject, all.rows)},
              .complexity = complexity_curves(subject, spread.rows, options.seed)};
  add_linear(subject, trained.rows, published, options.seed, study);
  if (spread.rows.rows() > 1)
    study.lipschitz.push_back(lipschitz_finding(subject, spread.rows, published));
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
          .verdict = exceeds(largest, bound) ? ClaimVerdict::kViolated : ClaimVerdict::kHolds,
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

// The sentence on the other class, or nothing. Of several, the rows that the source begins with.
std::string lipschitz_reason(const std::vector<Finding>& findings) {
  auto found = std::ranges::find_if(findings, [](const Finding& finding) {
    return finding.verdict == ClaimVerdict::kViolated && finding.part.starts_with("sinusoidal");
  });
  if (found == findings.end()) found = find(findings, ClaimVerdict::kViolated);
  if (found == findings.end()) return "";
  return fmt::format(
      "; that layers are Lipschitz is not enough: over all Lipschitz functions of the rows of {} "
      "it "
      "is at least {:.3g}, beyond the {:.3g} of L B_0/sqrt m",
      found->part, found->observed, found->bound.value_or(0.0));
}

// The verdict is that on linear read-outs.
void decide(const Study& all, TheoremCheck& result) {
  if (all.sides.empty()) {
    result.reason = "none of these encodings has an input site";
    return;
  }
  const auto outside = find(all.sides, ClaimVerdict::kViolated);
  const auto above = find(all.published, ClaimVerdict::kViolated);
  const Finding& decisive = outside != all.sides.end()     ? *outside
                            : above != all.published.end() ? *above
                            : all.published.empty()        ? tightest(all.measured)
                                                           : tightest(all.published);
  result.decisive =
      static_cast<std::size_t>(std::ranges::find_if(result.findings,
                                                    [&](const Finding& finding) {
                                                      return finding.part == decisive.part &&
                                                             finding.quantity == decisive.quantity;
                                                    }) -
                               result.findings.begin());
  const bool holds = decisive.verdict == ClaimVerdict::kHolds;
  result.verdict = holds ? ClaimVerdict::kHoldsUnderConditions : decisive.verdict;
  result.reason =
      fmt::format("for linear read-outs of {} input tables R_m {} {}: {:.3g} against {:.3g}{}",
                  all.sides.size(),
                  decisive.verdict == ClaimVerdict::kViolated
                      ? "leaves its bounds for"
                      : "lies between Khintchine's sides and below B_0/sqrt m, nearest to it for",
                  decisive.part, decisive.observed, decisive.bound.value_or(0.0),
                  lipschitz_reason(all.lipschitz));
}

TheoremCheck check(const TheoremOptions& options) {
  Study all;
  for (const TestedEncoding& subject : tested_encodings(options)) {
    Study study = study_of(subject, options);
    append(std::move(study.norms), all.norms);
    append(std::move(study.sides), all.sides);
    append(std::move(study.published), all.published);
    append(std::move(study.measured), all.measured);
    append(std::move(study.lipschitz), all.lipschitz);
    std::ranges::move(study.profile, std::back_inserter(all.profile));
    std::ranges::move(study.complexity, std::back_inserter(all.complexity));
  }
  all.norms.push_back(alibi_finding(options));
  LipschitzStudy layers = lipschitz_study(options);

  TheoremCheck result;
  for (const auto* part : {&all.norms, &all.sides, &all.published, &all.measured, &all.lipschitz})
    append(*part, result.findings);
  decide(all, result);
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
