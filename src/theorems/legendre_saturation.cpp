// SPDX-License-Identifier: Apache-2.0
// T9: rows of Legendre polynomials beyond the training length, clamped and not.
//
// |P_k| <= 1 holds on [-1, 1] only. Past it P_k grows like (x + sqrt(x^2-1))^k, so that "bounded
// and constant for large t" is what the clamp does, not what the polynomials do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "math/eigen_map.h"
#include "sextant/registry.h"
#include "sextant/theorem.h"
#include "theory/row_norms.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "the scaled position x is clamped to [-1, 1]: past N it stays at 1",
    "polynomials are not normalised: P_k(1) = 1",
    "positions from N on then share one row and cannot be told apart",
    "about rows, not about solving a task at length t: no computable bound does that (T12)",
};

constexpr TheoremInfo kInfo = {
    .id = "T9",
    .name = "legendre_saturation",
    .title = "Legendre saturation",
    .source = "Li, arXiv:2506.06398, section 6 and table 2",
    .claim = "Legendre rows have a bounded norm and become a constant vector for large t",
    .statement =
        "with x clamped to [-1, 1]: |p_t| <= sqrt(d) for all t and p_t = p_N for t >= N; without "
        "the clamp neither",
    .conditions = kConditions,
};

constexpr double kRounding = 1e-12;  // relative, of a norm

// Rows 0..to, as far as they fit a double.
struct Profile {
  std::string spec;
  Vector norms = {};      // |p_t|
  Vector last = {};       // |P_{d-1}| at t
  Vector apart = {};      // the largest entry of p_t - p_N, from t=N on
  std::string ends = {};  // why there are no more

  double largest() const { return std::ranges::max(norms); }
  Index rows() const { return static_cast<Index>(norms.size()); }
};

Profile profile_of(std::string_view x, std::string_view beyond, const TheoremOptions& options) {
  Profile result{.spec =
                     fmt::format("legendre(train={},x={},beyond={})", options.train, x, beyond)};
  const Extent extent{.positions = options.to + 1, .dim = options.dim};
  const Effects effects = encodings().make(result.spec)->effects(extent);
  Vector trained;
  const auto add = [&](Index t, std::span<const double> row) {
    result.norms.push_back(as_eigen(row).stableNorm());
    result.last.push_back(std::abs(row.back()));
    if (t < options.train) return;
    if (t == options.train) trained.assign(row.begin(), row.end());
    double apart = 0.0;
    for (std::size_t k = 0; k < row.size(); ++k)
      apart = std::max(apart, std::abs(row[k] - trained[k]));
    result.apart.push_back(apart);
  };
  result.ends = for_each_row(*effects.input, extent, options.to + 1, add);
  return result;
}

ClaimVerdict within(double observed, double bound) {
  return holds_if(observed <= bound * (1.0 + kRounding));
}

Finding norm_finding(const Profile& profile, const TheoremOptions& options) {
  const double bound = std::sqrt(static_cast<double>(options.dim));
  Finding finding{.part = profile.spec,
                  .quantity = fmt::format("largest |p_t|, t=0..{}", options.to),
                  .observed = profile.largest(),
                  .bound = bound,
                  .verdict = within(profile.largest(), bound)};
  if (!profile.ends.empty()) {
    finding.verdict = ClaimVerdict::kViolated;
    finding.remark =
        fmt::format("from t={} on a row does not fit a double: {}", profile.rows(), profile.ends);
  }
  return finding;
}

Finding constant_finding(const Profile& profile, const TheoremOptions& options) {
  const Index last = profile.rows() - 1;
  if (last <= options.train)
    return {
        .part = profile.spec,
        .quantity = "largest entry of p_t - p_N, t > N",
        .observed = std::numeric_limits<double>::quiet_NaN(),
        .verdict = ClaimVerdict::kNotTestable,
        .remark = fmt::format("not applicable: no row beyond N={} fits a double", options.train)};
  const double largest = std::ranges::max(profile.apart);
  const bool all = last == options.to;  // the row of `to` itself is not counted
  const auto alike = std::count(profile.apart.begin(), profile.apart.end() - (all ? 1 : 0), 0.0);
  return {.part = profile.spec,
          .quantity = fmt::format("largest entry of p_t - p_N, t={}..{}", options.train, last),
          .observed = largest,
          .bound = 0.0,
          .verdict = within(largest, 0.0),
          .remark = fmt::format("{} of the positions 0..{} share the row of N={}", alike,
                                options.to - 1, options.train)};
}

// |P_{d-1}| at a few positions past N, where x = t/N.
std::vector<Finding> growth_findings(const Profile& free, const TheoremOptions& options) {
  std::vector<Finding> findings;
  const Index n = options.train, k = options.dim - 1;
  for (const Index t : std::set<Index>{n + 1, n + n / 5, 2 * n, options.to}) {
    if (t <= n || t >= free.rows()) continue;
    const double x = static_cast<double>(t) / static_cast<double>(n);
    const double value = free.last[static_cast<std::size_t>(t)];
    findings.push_back(
        {.part = free.spec,
         .quantity = fmt::format("|P_{}(t/N)| at t={}", k, t),
         .observed = value,
         .bound = 1.0,
         .verdict = within(value, 1.0),
         .remark = fmt::format("(x + sqrt(x^2-1))^{} = {:.3g}", k,
                               std::pow(x + std::sqrt(x * x - 1.0), static_cast<double>(k)))});
  }
  return findings;
}

Figure norm_figure(const std::vector<Profile>& profiles) {
  Figure figure{.title = "Norm of a Legendre row",
                .x_label = "position t",
                .y_label = "|p_t|",
                .log_y = true,
                .curves = {}};
  for (const Profile& profile : profiles) {
    Figure::Curve curve{.name = profile.spec, .x = {}, .y = profile.norms};
    for (std::size_t t = 0; t < curve.y.size(); ++t) curve.x.push_back(static_cast<double>(t));
    figure.curves.push_back(std::move(curve));
  }
  return figure;
}

// Both with x=symmetric, the default.
std::string reason_of(const TheoremCheck& result, const Finding& clamped, const Profile& free,
                      const TheoremOptions& options) {
  if (result.verdict != ClaimVerdict::kHoldsUnderConditions)
    return fmt::format(
        "|p_t| is at most {:.3g} with the clamp and {:.3g} without, sqrt(d) is {:.3g}",
        clamped.observed, free.largest(), *clamped.bound);
  return fmt::format(
      "clamped rows stay within sqrt(d) = {:.3g} and are constant from t={} on, at the price that "
      "they are all one code; without the clamp |p_t| {} for x=symmetric",
      *clamped.bound, options.train,
      free.ends.empty() ? fmt::format("reaches {:.2g} by t={}", free.largest(), options.to)
                        : fmt::format("does not fit a double from t={} on", free.rows()));
}

TheoremCheck check(const TheoremOptions& options) {
  std::vector<Profile> profiles;
  for (const std::string_view beyond : {"clamp", "none"})
    for (const std::string_view x : {"symmetric", "unit"})
      profiles.push_back(profile_of(x, beyond, options));

  TheoremCheck result;
  bool clamped_hold = true, free_hold = true;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    for (const Finding& finding :
         {norm_finding(profiles[i], options), constant_finding(profiles[i], options)}) {
      bool& hold = i < 2 ? clamped_hold : free_hold;
      hold = hold && finding.verdict == ClaimVerdict::kHolds;
      result.findings.push_back(finding);
    }
  }
  result.verdict = !clamped_hold ? ClaimVerdict::kViolated
                   : free_hold   ? ClaimVerdict::kHolds
                                 : ClaimVerdict::kHoldsUnderConditions;
  result.decisive = 0;  // the clamped norm: symmetric x, the default
  const std::vector<Finding> growth = growth_findings(profiles.back(), options);
  result.findings.insert(result.findings.end(), growth.begin(), growth.end());
  result.figures = {norm_figure(profiles)};
  result.reason = reason_of(result, result.findings[0], profiles[2], options);
  return result;
}

}  // namespace

void register_legendre_saturation(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
