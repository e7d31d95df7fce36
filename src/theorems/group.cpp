// SPDX-License-Identifier: Apache-2.0
// T10: linear, translation-invariant and continuous maps of queries and keys are one-parameter
// groups. Every such encoding of the catalogue is one, and so is a random one in a random basis;
// two examples show what the published conditions leave out.
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "base/rng.h"
#include "math/dense_svd.h"
#include "math/matrix_exponential.h"
#include "sextant/classify.h"
#include "sextant/error.h"
#include "sextant/theorem.h"
#include "theory/tested_encoding.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "queries and keys are mapped linearly, q' = F(s) q and k' = G(t) k: no bias, no added row",
    "translation invariance: F(s)^T G(t) = A(s - t) for all s and t",
    "continuity in the position, which is a real number; on whole numbers (-1)^t is legal too",
    "A(0) is invertible; in general A(lag) = C exp(lag X) B",
    "up to a change of basis that W_Q and W_K absorb",
};

constexpr TheoremInfo kInfo = {
    .id = "T10",
    .name = "group",
    .title = "Positional encodings as one-parameter groups",
    .source = "Jane Street blog, Using group theory to explore the space of positional encodings",
    .claim =
        "a positional encoding of queries and keys that is linear, translation invariant and "
        "continuous is A(t) = exp(tX)",
    .statement =
        "F(s)^T G(t) = A(s-t), continuous in real s and t, and A(0) invertible give "
        "A(lag) A(0)^-1 = exp(lag X)",
    .conditions = kConditions,
};

constexpr Extent kExtent{.positions = 64, .dim = 24, .heads = 8};  // families need no more
constexpr Index kSamples = 8;                                      // positions of hand-made maps
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Finding not_applicable(std::string part, std::string remark) {
  return {.part = std::move(part),
          .quantity = "|A(lag) A(0)^-1 - exp(lag X)|, relative",
          .observed = kNone,
          .verdict = ClaimVerdict::kNotTestable,
          .remark = fmt::format("not applicable: {}", remark)};
}

// "rotation (x12)": how many blocks of each kind.
std::string kinds_of(const MapTest& test) {
  if (!test.families) return test.reason;
  std::map<BlockKind, Index> counts;
  for (const BlockFamily& family : test.families->families) counts[family.kind] += family.count;
  std::string result;
  for (const auto& [kind, count] : counts)
    result += fmt::format("{}{} (x{})", result.empty() ? "" : ", ", name(kind), count);
  return result;
}

// The fit of exp(lag X) to sampled maps that fulfil the conditions.
Finding group_finding(std::string part, const MapTest& test, std::string_view remark) {
  const double allowed = kNoiseFactor * ClassifyOptions{}.noise;
  return {.part = std::move(part),
          .quantity = "|A(lag) A(0)^-1 - exp(lag X)|, relative",
          .observed = test.recovery_residual.value_or(kNone),
          .bound = allowed,
          .verdict = test.verdict == MapVerdict::kGroup && test.generator ? ClaimVerdict::kHolds
                                                                          : ClaimVerdict::kViolated,
          .remark = fmt::format("{}{}", kinds_of(test), remark)};
}

Finding encoding_finding(const TestedEncoding& subject) {
  if (!subject.encoding)
    return not_applicable(subject.spec, fmt::format("needs a file ({})", subject.missing));
  const Extent extent = subject.encoding->fitted(kExtent);
  try {
    const Effects effects = subject.encoding->effects(extent);
    if (!effects.query_key) return not_applicable(subject.spec, "no query/key site");
    if (effects.input || effects.logit || effects.key_offset)
      return not_applicable(subject.spec, "rows, biases and offsets are not linear in q and k");
    if (!effects.query_key->splits())
      return not_applicable(subject.spec, "relative, but no maps F(s) and G(t) make its logit");
    const MapTest test = test_encoding(*subject.encoding, extent);
    if (test.verdict == MapVerdict::kNotRelative)
      return not_applicable(subject.spec,
                            fmt::format("not translation invariant: {}", test.reason));
    return group_finding(
        subject.spec, test,
        fmt::format("; dim {} whatever is asked for{}", extent.dim, draw_remark(subject)));
  } catch (const Error& error) {
    return not_applicable(subject.spec, error.what());
  }
}

using Map = std::function<EigenMatrix(double)>;

// Maps at 0, 1, ..., kSamples-1.
MapSamples samples_of(const Map& transposed_f, const Map& g) {
  MapSamples samples;
  samples.s = samples.t = Positions::range(kSamples);
  for (Index t = 0; t < kSamples; ++t) {
    samples.f.push_back(to_matrix(transposed_f(static_cast<double>(t)).transpose()));
    samples.g.push_back(to_matrix(g(static_cast<double>(t))));
  }
  return samples;
}

EigenMatrix random_matrix(Index d, const Rng& rng, std::uint64_t first) {
  return EigenMatrix::NullaryExpr(d, d, [&](Index i, Index j) {
    return rng.normal(first + static_cast<std::uint64_t>(i * d + j));
  });
}

// A(lag) = C exp(lag X) B with a random X and invertible C and B.
Finding random_finding(std::uint64_t seed) {
  constexpr Index kDim = 4;
  const Rng rng(seed, 0);
  const EigenMatrix unit = EigenMatrix::Identity(kDim, kDim);
  const Matrix x = to_matrix(0.1 * random_matrix(kDim, rng, 0));
  const EigenMatrix c = 3.0 * unit + 0.5 * random_matrix(kDim, rng, 100);
  const EigenMatrix b = 3.0 * unit + 0.5 * random_matrix(kDim, rng, 200);
  const Map f = [&](double s) -> EigenMatrix { return c * as_eigen(matrix_exponential(x, s)); };
  const Map g = [&](double t) -> EigenMatrix { return as_eigen(matrix_exponential(x, -t)) * b; };
  return group_finding("random X in a random basis", test_maps(samples_of(f, g)),
                       fmt::format("; seed {}", seed));
}

// F(s)^T = [[1, s], [0, 0]], G(t) = [[-t, 0], [1, 0]]: A(lag) = [[lag, 0], [0, 0]].
Finding singular_finding() {
  const Map f = [](double s) { return EigenMatrix{{1.0, s}, {0.0, 0.0}}; };
  const Map g = [](double t) { return EigenMatrix{{-t, 0.0}, {1.0, 0.0}}; };
  const MapTest test = test_maps(samples_of(f, g));
  const Eigen::VectorXd at_zero = singular_values(f(0.0) * g(0.0));
  const bool counterexample = test.verdict == MapVerdict::kRelative;
  std::string remark =
      fmt::format("{}, residual {:.1g}", name(test.verdict), test.relative_residual);
  if (test.realisation)
    remark += fmt::format("; C exp(lag X) B with X of order {}: {}", test.realisation->x.rows(),
                          describe(test.realisation->generator.families));
  return {.part = "A(0) singular: F(s)^T = [[1,s],[0,0]], G(t) = [[-t,0],[1,0]]",
          .quantity = "rank of A(0), which is that of exp(0 X)",
          .observed = static_cast<double>((at_zero.array() > 0.0).count()),
          .lower = 2.0,
          .verdict = holds_if(!counterexample),
          .remark = std::move(remark)};
}

Finding integer_finding() {
  const Map sign = [](double t) {
    return EigenMatrix{{std::fmod(t, 2.0) == 0.0 ? 1.0 : -1.0, 0.0}, {0.0, 1.0}};
  };
  const MapTest test = test_maps(samples_of(sign, sign));
  return {.part = "whole positions only: (-1)^t beside 1",
          .quantity = "determinant of A(1) A(0)^-1, which is exp(trace X)",
          .observed = (sign(1.0) * sign(0.0).inverse()).determinant(),
          .lower = 0.0,
          .verdict = holds_if(!test.integer_time_only),
          .remark = test.reason};
}

TheoremCheck check(const TheoremOptions& options) {
  TheoremCheck result;
  result.findings = {singular_finding(), integer_finding(), random_finding(options.seed)};
  constexpr std::size_t kExamples = 2;  // against the published conditions
  for (const TestedEncoding& subject : tested_encodings(options))
    result.findings.push_back(encoding_finding(subject));

  Index groups = 0;
  double worst = 0.0;
  const Finding* against = nullptr;
  for (std::size_t i = kExamples; i < result.findings.size(); ++i) {
    const Finding& finding = result.findings[i];
    if (finding.verdict == ClaimVerdict::kViolated && against == nullptr) {
      against = &finding;
      result.decisive = i;
    }
    if (finding.verdict != ClaimVerdict::kHolds) continue;
    ++groups;
    if (!(finding.observed >= worst)) continue;
    worst = finding.observed;
    if (against == nullptr) result.decisive = i;  // what carries the verdict, if nothing is against
  }
  const bool needed = result.findings[0].verdict == ClaimVerdict::kViolated ||
                      result.findings[1].verdict == ClaimVerdict::kViolated;
  result.verdict = against != nullptr ? ClaimVerdict::kViolated
                   : needed           ? ClaimVerdict::kHoldsUnderConditions
                                      : ClaimVerdict::kHolds;
  result.reason =
      against != nullptr
          ? fmt::format("{} meets the conditions and is no group: {}", against->part,
                        against->remark)
          : fmt::format(
                "{} exp(lag X) to {:.1g}; A(0) must be "
                "invertible, else A(lag) = [[lag,0],[0,0]] is linear, continuous and relative with "
                "an A(0) of rank {:.0f}, and on whole positions alone (-1)^t has no real X",
                groups == 1 ? "the one map that meets the conditions is"
                            : fmt::format("all {} maps that meet the conditions are", groups),
                worst, result.findings[0].observed);
  return result;
}

}  // namespace

void register_group(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
