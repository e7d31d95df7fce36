// SPDX-License-Identifier: Apache-2.0
// T1': what encodings leave undecided although they carry positions.
//
// Ours. Values carry no position, so an encoding that acts on logits alone averages equal values to
// the same value: constant sequences stay constant, under any mask. And a form that is even in the
// lag cannot tell a sequence from its reversal where nothing is masked.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sextant/theorem.h"
#include "theory/residual_symmetry.h"
#include "theory/subject.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "values carry no position",
    "no BOS token: one is a position of its own",
    "constant sequences: no rows are added to the input; any mask",
    "reversal: the pair form is even in the lag, and no mask",
};

constexpr TheoremInfo kInfo = {
    .id = "T1'",
    .name = "residual_symmetry",
    .title = "Residual symmetries",
    .source = "this project",
    .claim =
        "a bias in |lag| leaves reversal; encodings that act on logits alone map constant "
        "sequences to constant outputs",
    .statement =
        "f(RX) = R f(X) for the reversal R and even forms, and f(c, ..., c) is constant for "
        "encodings without input rows, for every weight",
    .conditions = kConditions,
};

constexpr double kRounding = 1e-12;
constexpr Index kMostTokens = 16;

ClaimVerdict within(double observed) { return holds_if(observed <= kRounding); }

struct Case {
  const Subject* subject;
  Index n;
  std::uint64_t seed;
  std::string size;  // of the model, for remarks
};

Finding constant_finding(const Case& at, bool causal) {
  const Subject& subject = *at.subject;
  Finding finding =
      subject_finding(subject, "max |f(c, ..., c)_s - f(c, ..., c)_0|", [&](Finding& result) {
        TransformerShape shape = subject.shape;
        shape.causal = causal;
        const Matrix y = forward(Transformer::random(shape, at.seed), subject.effects(at.n),
                                 reordered(random_tokens(at.n, shape.dim, at.seed),
                                           std::vector<Index>(static_cast<std::size_t>(at.n), 0)));
        result.observed = largest_difference(
            y, reordered(y, std::vector<Index>(static_cast<std::size_t>(at.n), 0)));
        if (subject.logit_only()) {
          result.bound = kRounding;
          result.verdict = within(result.observed);
        } else {
          result.remark = "not judged: rows are added to the input";
        }
        result.remark = joined_remarks(result.remark, at.size);
      });
  finding.part += causal ? ", constant sequence, causal mask" : ", constant sequence, no mask";
  return finding;
}

Finding reversal_finding(const Case& at) {
  const Subject& subject = *at.subject;
  Finding finding = subject_finding(subject, "max |f(RX) - R f(X)|", [&](Finding& result) {
    if (subject.shape.causal) {
      result.remark = "not applicable: needs a causal mask";
      return;
    }
    const Effects effects = subject.effects(at.n);
    std::vector<Index> back(static_cast<std::size_t>(at.n));
    std::iota(back.rbegin(), back.rend(), Index{0});
    const Transformer model = Transformer::random(subject.shape, at.seed);
    const Matrix x = random_tokens(at.n, subject.shape.dim, at.seed);
    result.observed = largest_difference(forward(model, effects, reordered(x, back)),
                                         reordered(forward(model, effects, x), back));
    const double odd = odd_part(effects, subject.shape, at.n);
    if (odd <= kRounding) {
      result.bound = kRounding;
      result.verdict = within(result.observed);
    } else {
      result.remark = fmt::format("not judged: the odd part of its form is {:.2g}", odd);
    }
    result.remark = joined_remarks(result.remark, at.size);
  });
  finding.part += ", reversal";
  return finding;
}

TheoremCheck check(const TheoremOptions& options) {
  TheoremCheck result;
  Index constant = 0, even = 0;
  double worst = -1.0;
  const auto add = [&](Finding finding, Index& count) {
    if (finding.verdict != ClaimVerdict::kNotTestable) {
      ++count;
      if (!std::isnan(worst) && !(finding.observed <= worst)) {  // NaN is worst
        worst = finding.observed;
        result.decisive = result.findings.size();
      }
    }
    result.findings.push_back(std::move(finding));
  };
  const std::vector<Subject> subjects = theorem_subjects(options);
  for (const Subject& subject : subjects) {
    const Index n = std::min(options.train, kMostTokens);
    const Case at{.subject = &subject,
                  .n = n,
                  .seed = options.seed,
                  .size = subject.encoding ? size_remark(subject.shape, n, options) : ""};
    Index seen = 0;
    if (!subject.encoding) {
      result.findings.push_back(subject_finding(subject, "residual symmetry", nullptr));
      continue;
    }
    if (!subject.shape.causal) add(constant_finding(at, false), seen);
    add(constant_finding(at, true), seen);
    constant += seen > 0 ? 1 : 0;
    add(reversal_finding(at), even);
  }
  if (constant + even == 0) {
    result.reason = "none of the encodings acts on logits alone or has an even form";
    return result;
  }
  result.verdict = within(worst);
  result.reason =
      result.verdict == ClaimVerdict::kHolds
          ? fmt::format(
                "without input rows constant sequences stay constant ({} of the encodings), and "
                "even forms commute with reversal ({}), to {:.1e} at worst",
                constant, even, worst)
          : fmt::format("{} differs by {:.2g}, which is more than rounding",
                        result.findings[result.decisive].part, worst);
  return result;
}

}  // namespace

void register_residual_symmetry(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
