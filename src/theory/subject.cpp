// SPDX-License-Identifier: Apache-2.0
#include "theory/subject.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/rng.h"
#include "theory/tested_encoding.h"
#include "theory/used_size.h"

namespace sextant {
namespace {

constexpr Index kLayers = 2;

TransformerShape shape_for(const Encoding& encoding, const TheoremOptions& options) {
  const Index asked = std::min(options.dim, kMostSubjectDim);
  const Index heads =
      encoding.heads() > 0 ? encoding.heads() : std::clamp<Index>(asked / 4, 1, options.heads);
  const bool fixed = encoding.dim() > 0, input = encoding.info().sites.input;
  const Index width =
      fixed && !input ? encoding.dim() : 4 * ((asked + 4 * heads - 1) / (4 * heads));
  TransformerShape shape{.layers = kLayers, .dim = width * heads, .heads = heads};
  if (fixed && input) {
    shape.dim = encoding.dim();
    if (shape.dim % heads != 0) shape.heads = 1;
  }
  shape.hidden = 2 * shape.dim;
  shape.causal = encoding.claims().needs_causal_mask == Claim::kYes;
  return shape;
}

}  // namespace

Subject theorem_subject(const std::string& spec, const TheoremOptions& options) {
  TestedEncoding tested = tested_encoding(spec, options.train);
  Subject subject{.spec = spec, .encoding = std::move(tested.encoding), .shape = {}, .remark = {}};
  if (!subject.encoding) {
    subject.remark = fmt::format("not applicable: {}", tested.missing);
    return subject;
  }
  subject.shape = shape_for(*subject.encoding, options);
  if (tested.initial_draw) subject.remark = "learned values: an initial draw";
  return subject;
}

std::vector<Subject> theorem_subjects(const TheoremOptions& options) {
  const std::vector<std::string> specs = tested_specs(options);
  std::vector<Subject> result;
  result.reserve(specs.size());
  for (const std::string& spec : specs) result.push_back(theorem_subject(spec, options));
  return result;
}

Finding subject_finding(const Subject& subject, std::string quantity,
                        const std::function<void(Finding&)>& measure) {
  Finding finding{.part = subject.spec,
                  .quantity = std::move(quantity),
                  .observed = std::numeric_limits<double>::quiet_NaN(),
                  .verdict = ClaimVerdict::kNotTestable,
                  .remark = subject.remark};
  if (!subject.encoding) return finding;
  try {
    finding.remark.clear();
    measure(finding);
    finding.remark = joined_remarks(subject.remark, finding.remark);
  } catch (const Error& error) {
    finding.observed = std::numeric_limits<double>::quiet_NaN();
    finding.verdict = ClaimVerdict::kNotTestable;
    finding.remark = fmt::format("not applicable: {}", error.what());
  }
  return finding;
}

std::string size_remark(const TransformerShape& shape, Index n, const TheoremOptions& options) {
  return fmt::format("N={}, dim={}, heads={}", used_size(n, options.train),
                     used_size(shape.dim, options.dim), used_size(shape.heads, options.heads));
}

std::string joined_remarks(const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  return first + "; " + second;
}

Matrix random_tokens(Index n, Index dim, std::uint64_t seed) {
  Matrix x(n, dim);
  const Rng rng(seed, 0x70636b);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.values()[i] = rng.normal(i);
  return x;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    const double gap = std::abs(a.values()[i] - b.values()[i]);
    if (std::isnan(gap)) return gap;
    worst = std::max(worst, gap);
  }
  return worst;
}

Matrix reordered(const Matrix& x, const std::vector<Index>& order) {
  Matrix result(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i)
    std::ranges::copy(x.row(order[static_cast<std::size_t>(i)]), result.row(i).begin());
  return result;
}

}  // namespace sextant
