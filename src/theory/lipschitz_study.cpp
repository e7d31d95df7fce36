// SPDX-License-Identifier: Apache-2.0
// That dot-product attention is not Lipschitz on the whole space is Kim, Papamakarios and Mnih,
// "The Lipschitz constant of self-attention", 2021, arXiv:2006.04710: with one token at 0 all keys
// tie, and the Jacobian holds the covariance of the other tokens, which grows with their norm
// squared.
#include "theory/lipschitz_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "theory/lipschitz.h"
#include "theory/subject.h"

namespace sextant {
namespace {

constexpr Index kDim = 16;
constexpr Index kMostHeads = 4;
constexpr Index kDraws = 2;
constexpr double kRadii[] = {1.0, 2.0, 4.0, 8.0, 16.0};
constexpr double kNormedRadii[] = {1.0 / 64.0, 0.25, 1.0, 4.0, 16.0};
constexpr Index kTokens[] = {8, 16, 32, 64};
constexpr Index kMostTokens = 64;
constexpr double kFixedRadius = 4.0;
constexpr double kFlat = 0.05;     // exponents below are no growth
constexpr double kTheory = 2.0;    // the exponent of the radius that theory allows
constexpr double kFitError = 0.1;  // of an exponent over a range in which lower powers matter

constexpr std::string_view kUsual[] = {"rope", "alibi", "sinusoidal"};

// The slope of log y against log x, least squares.
double exponent(const Vector& x, const Vector& y) {
  const auto n = static_cast<double>(x.size());
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a;
    sy += b;
    sxx += a * a;
    sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

struct Setting {
  std::string name;
  TransformerShape shape;
  TransformerLayer layer;
};

Setting setting(const Subject& subject, bool normed, const TheoremOptions& options) {
  TransformerShape shape{.layers = 1,
                         .dim = kDim,
                         .heads = 1,
                         .norm = normed ? NormPlace::kBefore : NormPlace::kNone,
                         .causal = subject.shape.causal};
  if (normed) shape.heads = std::clamp<Index>(options.heads, 2, kMostHeads);
  if (subject.encoding->heads() > 0) shape.heads = subject.encoding->heads();
  if (const Index fixed = subject.encoding->dim(); fixed > 0)
    shape.dim = subject.logit_only() ? fixed * shape.heads : fixed;
  else
    shape.dim = 4 * std::max<Index>(1, kDim / (4 * shape.heads)) * shape.heads;  // whole quads
  shape.hidden = 2 * shape.dim;
  const std::string heads = shape.heads == 1 ? "single head" : fmt::format("{} heads", shape.heads);
  return {.name = fmt::format("{} {} LayerNorm", heads, normed ? "with" : "without"),
          .shape = shape,
          .layer = Transformer::random(shape, options.seed).layers.front()};
}

using Curve = Figure::Curve;

Curve against_radius(const Subject& subject, const Setting& at, std::span<const double> radii,
                     std::uint64_t seed) {
  Curve curve{.name = subject.spec, .x = {radii.begin(), radii.end()}, .y = {}};
  const Effects effects = transformer_effects(*subject.encoding, at.shape, kMostTokens);
  for (const double radius : radii)
    curve.y.push_back(
        layer_lipschitz(at.layer, at.shape, effects, kMostTokens, radius, kDraws, seed));
  return curve;
}

Curve against_tokens(const Subject& subject, const Setting& at, std::uint64_t seed) {
  Curve curve{.name = fmt::format("{}, {}", subject.spec, at.name), .x = {}, .y = {}};
  for (const Index n : kTokens) {
    const Effects effects = transformer_effects(*subject.encoding, at.shape, n);
    curve.x.push_back(static_cast<double>(n));
    curve.y.push_back(layer_lipschitz(at.layer, at.shape, effects, n, kFixedRadius, kDraws, seed));
  }
  return curve;
}

std::string ends(const Curve& curve) {
  return fmt::format("|J| is {:.3g} at {:.3g} and {:.3g} at {:.3g}", curve.y.front(),
                     curve.x.front(), curve.y.back(), curve.x.back());
}

double last_step(const Curve& curve) {
  const std::size_t n = curve.x.size();
  return exponent({curve.x[n - 2], curve.x[n - 1]}, {curve.y[n - 2], curve.y[n - 1]});
}

// Norms that grow with the radius: no constant holds everywhere.
ClaimVerdict growth_verdict(double growth) {
  if (!std::isfinite(growth)) return ClaimVerdict::kNotTestable;
  if (growth > kTheory + kFitError) return ClaimVerdict::kViolated;
  return growth > kFlat ? ClaimVerdict::kHoldsUnderConditions : ClaimVerdict::kHolds;
}

// Tokens 0, x and -x: for the first, all keys tie whatever their norm is.
Finding tied_finding(std::uint64_t seed) {
  const TransformerShape shape{
      .layers = 1, .dim = kDim, .heads = 1, .hidden = 0, .norm = NormPlace::kNone};
  const TransformerLayer layer = Transformer::random(shape, seed).layers.front();
  const Matrix direction = random_tokens(1, kDim, seed);
  const std::span<const double> entries = direction.values();
  const double norm =
      std::sqrt(std::inner_product(entries.begin(), entries.end(), entries.begin(), 0.0));
  Vector radii, norms;
  for (const double radius : {16.0, 32.0, 64.0}) {
    Matrix x(3, kDim);
    for (Index i = 0; i < kDim; ++i) {
      x(1, i) = radius / norm * direction(0, i);
      x(2, i) = -x(1, i);
    }
    radii.push_back(radius);
    norms.push_back(local_lipschitz(layer, shape, {}, x, seed));
  }
  const double growth = exponent(radii, norms);
  return {.part = "single head without LayerNorm, tokens 0, x, -x",
          .quantity = "exponent of |J| in the norm of x",
          .observed = growth,
          .bound = kTheory,
          .verdict = growth_verdict(growth),
          .remark = fmt::format("a layer is Lipschitz on a ball only: |J| is {:.3g} at radius "
                                "{:.3g} and {:.3g} at {:.3g}",
                                norms.front(), radii.front(), norms.back(), radii.back())};
}

Finding radius_finding(const Setting& at, const Curve& curve) {
  const double growth = exponent(curve.x, curve.y);
  return {.part = fmt::format("{}, {}, N={}", curve.name, at.name, kMostTokens),
          .quantity = "exponent of |J| in the radius of the input",
          .observed = growth,
          .bound = kTheory,
          .verdict = growth_verdict(growth),
          .remark = fmt::format("random inputs, from below: {}; exponent of the last step {:.2f}",
                                ends(curve), last_step(curve))};
}

// LayerNorm divides by the deviation of a token: small tokens are stretched instead of large ones.
Finding small_radius_finding(const Setting& at, const Curve& curve) {
  const double ratio = curve.y.front() / curve.y.back();
  return {.part = fmt::format("{}, {}, N={}", curve.name, at.name, kMostTokens),
          .quantity = fmt::format("|J| at radius {:.3g} over |J| at radius {:.3g}", curve.x.front(),
                                  curve.x.back()),
          .observed = ratio,
          .bound = 1.0,
          .verdict = !std::isfinite(ratio) ? ClaimVerdict::kNotTestable
                     : ratio > 1.0         ? ClaimVerdict::kHoldsUnderConditions
                                           : ClaimVerdict::kHolds,
          .remark = "the condition is a least deviation of the tokens, not a largest radius"};
}

Finding tokens_finding(const Setting& at, const Curve& curve) {
  return {.part = fmt::format("{}, radius {}", curve.name, kFixedRadius),
          .quantity = "exponent of |J| in the number of tokens",
          .observed = exponent(curve.x, curve.y),
          .verdict = ClaimVerdict::kNotTestable,
          .remark = fmt::format("compared, the source has no claim about N{}: {}",
                                at.shape.causal ? " (causal mask)" : "", ends(curve))};
}

void add_subject(const Subject& subject, const TheoremOptions& options, LipschitzStudy& study) {
  const auto add = [&](Finding finding) {
    finding.remark = joined_remarks(subject.remark, finding.remark);
    study.findings.push_back(std::move(finding));
  };
  for (const bool normed : {false, true}) {
    const Setting at = setting(subject, normed, options);
    Curve radius =
        against_radius(subject, at, normed ? std::span(kNormedRadii) : kRadii, options.seed);
    Curve tokens = against_tokens(subject, at, options.seed);
    add(radius_finding(at, radius));
    if (normed) add(small_radius_finding(at, radius));
    add(tokens_finding(at, tokens));
    study.figures[normed ? 1 : 0].curves.push_back(std::move(radius));
    study.figures[2].curves.push_back(std::move(tokens));
  }
}

}  // namespace

LipschitzStudy lipschitz_study(const TheoremOptions& options) {
  LipschitzStudy study{
      .findings = {tied_finding(options.seed)},
      .figures = {{.title = "Largest local constant of a layer: one head, no LayerNorm",
                   .x_label = "norm of a token",
                   .y_label = "|J|",
                   .log_x = true,
                   .log_y = true},
                  {.title = "Largest local constant of a layer: several heads and LayerNorm",
                   .x_label = "norm of a token",
                   .y_label = "|J|",
                   .log_x = true,
                   .log_y = true},
                  {.title = "Largest local constant of a layer at radius 4",
                   .x_label = "tokens N",
                   .y_label = "|J|",
                   .log_x = true,
                   .log_y = true}}};
  const std::vector<std::string> specs =
      options.encodings.empty() ? std::vector<std::string>(std::begin(kUsual), std::end(kUsual))
                                : options.encodings;
  for (const std::string& spec : specs) {
    const Subject subject = theorem_subject(spec, options);
    Finding finding = subject_finding(subject, "|J|", [&](Finding& done) {
      add_subject(subject, options, study);
      done.verdict = ClaimVerdict::kHolds;
    });
    if (finding.verdict == ClaimVerdict::kNotTestable) study.findings.push_back(std::move(finding));
  }
  return study;
}

}  // namespace sextant
