// SPDX-License-Identifier: Apache-2.0
#include "theory/row_norms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "encoding/params.h"
#include "math/dense_svd.h"
#include "math/wavelet.h"
#include "sextant/error.h"

namespace sextant {
namespace {

std::string value_of(const EncodingSpec::Term& term, std::string_view key) {
  for (const EncodingSpec::Argument& argument : term.arguments)
    if (argument.key == key) return argument.value;
  const ParamInfo* param = find_param(encodings().info(term.name), key);
  return param == nullptr ? "" : std::string(param->default_text);
}

using Origin = PublishedRadius::Origin;

PublishedRadius wavelet_published(const EncodingSpec::Term& term, double dim) {
  const std::string norm = value_of(term, "norm");
  if (norm == "unit") return {1.0, 1.0, "ours, for the source's 'normalised': to 1", Origin::kOurs};
  const double half = std::sqrt(dim / 2.0);
  if (norm == "sqrt")
    return {half, half, "ours, for the source's 'normalised': to sqrt(d/2)", Origin::kOurs};
  const auto train = static_cast<double>(parse_integer(value_of(term, "train")).value_or(2));
  const Index taps = value_of(term, "taps") == "8" ? 8 : 4;
  const double radius = wavelet_radius(taps, std::ilogb(train));
  return {
      train * std::sqrt(std::log(train)), radius,
      fmt::format("the source: O(N sqrt(log N)), its constant taken as 1; compact support alone "
                  "gives {:.3g}",
                  radius)};
}

// max|psi| is taken over multiples of 2^-10: finer ones change it by less than 1e-3.
constexpr int kFineness = 10;

// 0, 1, 2, 4, ..., last.
std::vector<double> doubling_lags(Index last) {
  std::vector<double> lags = {0.0};
  for (Index lag = 1; lag < last; lag *= 2) lags.push_back(static_cast<double>(lag));
  lags.push_back(static_cast<double>(last));
  return lags;
}

}  // namespace

std::string for_each_row(const InputTable& table, const Extent& extent, Index count,
                         const RowUse& use) {
  Vector row(static_cast<std::size_t>(extent.dim));
  for (Index t = 0; t < count; ++t) {
    try {
      table.row(static_cast<double>(t), row);
    } catch (const Error& error) {
      return error.what();
    }
    use(t, row);
  }
  return "";
}

SampledNorms sampled_norms(const InputTable& table, const Extent& extent, Index count) {
  SampledNorms result;
  result.ends = for_each_row(table, extent, count, [&](Index, std::span<const double> row) {
    result.norms.push_back(as_eigen(row).stableNorm());
  });
  return result;
}

SampledRows sampled_rows(const InputTable& table, const Extent& extent, Index count) {
  SampledRows result{.rows = Matrix(count, extent.dim), .ends = {}};
  Index seen = 0;
  result.ends = for_each_row(table, extent, count, [&](Index t, std::span<const double> row) {
    std::ranges::copy(row, result.rows.row(t).begin());
    ++seen;
  });
  if (seen < count) result.rows = first_rows(result.rows, seen);
  return result;
}

Matrix first_rows(const Matrix& rows, Index count) {
  Matrix result(count, rows.cols());
  std::copy_n(rows.values().begin(), count * rows.cols(), result.values().begin());
  return result;
}

Vector row_norms(const Matrix& rows) {
  Vector result;
  result.reserve(static_cast<std::size_t>(rows.rows()));
  for (Index t = 0; t < rows.rows(); ++t) result.push_back(as_eigen(rows.row(t)).stableNorm());
  return result;
}

std::optional<PublishedRadius> published_radius(const TestedEncoding& subject, const Extent& extent,
                                                double longest) {
  const EncodingSpec spec = EncodingSpec::parse(subject.encoding->spec());
  const auto has_rows = [](const EncodingSpec::Term& term) {
    return encodings().info(term.name).sites.input;
  };
  if (std::ranges::count_if(spec.terms, has_rows) != 1) return std::nullopt;
  const EncodingSpec::Term& term = *std::ranges::find_if(spec.terms, has_rows);
  const auto dim = static_cast<double>(extent.dim);
  const double unit_entries = std::sqrt(dim);  // entries of at most 1
  if (term.name == "sinusoidal")
    return PublishedRadius{unit_entries, unit_entries,
                           "the source: sqrt(d); exactly sqrt(d/2) for even d"};
  if (term.name == "legendre" && value_of(term, "beyond") == "clamp")
    return PublishedRadius{unit_entries, unit_entries,
                           "ours, for the source's 'bounded': |P_k| <= 1 when clamped",
                           Origin::kOurs};
  if (term.name == "wavelet") return wavelet_published(term, dim);
  if (term.name == "learned")
    return PublishedRadius{longest, longest,
                           "the source: B_p, here that of the longest row of training",
                           Origin::kMeasured};
  return std::nullopt;
}

double wavelet_radius(Index taps, int scales) {
  const DaubechiesWavelet wavelet(taps);
  const Index steps = (taps - 1) << kFineness;
  double largest = 0.0;
  for (Index i = 0; i < steps; ++i)
    largest =
        std::max(largest, std::abs(wavelet.psi(std::ldexp(static_cast<double>(i), -kFineness))));
  const double sum_of_scales = 1.0 - std::ldexp(1.0, -scales);
  return largest * std::sqrt(static_cast<double>(taps - 1) * sum_of_scales);
}

std::string other_norms(const Effects& effects, const Extent& extent, Index last) {
  double map = 0.0, bias = 0.0, offset = 0.0;
  for (const double lag : doubling_lags(last)) {
    if (effects.query_key) {
      const Matrix a = effects.query_key->between(lag, 0.0);
      map = std::max(map, singular_values(as_eigen(a))(0));
    }
    for (Index head = 0; head < extent.heads; ++head) {
      if (effects.logit) bias = std::max(bias, std::abs(effects.logit->at(head, lag, 0.0)));
      if (!effects.key_offset) continue;
      const LinearTerms terms = effects.key_offset->at(head, lag, 0.0);
      offset = std::max(
          {offset, as_eigen(std::span(terms.u)).norm(), as_eigen(std::span(terms.v)).norm()});
    }
  }
  std::string result;
  const auto add = [&](std::string_view what, double value) {
    result += fmt::format("{}{} <= {:.4g}", result.empty() ? "" : ", ", what, value);
  };
  if (effects.query_key) add("|A(lag)|", map);
  if (effects.logit) add("|bias|", bias);
  if (effects.key_offset) add("|offset|", offset);
  return result.empty() ? result : fmt::format("{} at lags 0, 1, 2, 4, ..., {}", result, last);
}

}  // namespace sextant
