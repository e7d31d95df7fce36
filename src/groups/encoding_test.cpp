// SPDX-License-Identifier: Apache-2.0
// Tests of an encoding: its pair forms in homogeneous coordinates, sampled by lag.
//
// The head is the last one. Lags are whole, of both signs unless the encoding needs a causal mask.
// Origins reach far where every position is defined: a form that changes with the origin only past
// some threshold is not relative.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "groups/group_fit.h"
#include "groups/shift.h"
#include "math/exponential_family.h"
#include "sextant/classify.h"
#include "sextant/error.h"

namespace sextant {
namespace {

constexpr Index kLongestLag = 31;
constexpr Index kWide = 256;  // from here on time and memory ask for fewer lags
constexpr Index kLongestWideLag = 15;
constexpr std::array<Index, 7> kOtherLags = {0, 1, 2, 3, 5, 8, 13};  // at origins other than 0
constexpr std::array<double, 5> kFarOrigins = {1.0, 10.0, 300.0, 5000.0, 100000.0};

constexpr std::array<double, 3> kFarLags = {64.0, 256.0, 1024.0};
constexpr double kSampled = 0.5;        // of the work: the means per lag
constexpr double kFarTolerance = 1e-4;  // errors of X grow with the lag

struct Pairs {
  std::vector<SampledPair> list;

  void add(const Position& s, const Position& t) {
    const auto n = static_cast<Index>(list.size());
    list.push_back({.i = n, .j = n, .s = s, .t = t});
  }
  // The query `lag` ahead of the key, and the other way round where both are asked for.
  void add_lag(double origin, Index lag, bool both) {
    const double far = origin + static_cast<double>(lag);
    add(far, origin);
    if (both && lag > 0) add(origin, far);
  }
};

// Lags {0, 1, 2} on every axis, from two origins.
void add_vector_lags(Index axes, bool both, Pairs& pairs) {
  const auto width = static_cast<std::size_t>(axes);
  Index count = 1;
  for (Index a = 0; a < axes; ++a) count *= 3;
  for (const double origin : {0.0, 3.0}) {
    for (Index code = 0; code < count; ++code) {
      std::array<double, kMaxAxes> s = {}, t = {};
      Index rest = code;
      for (std::size_t a = 0; a < width; ++a, rest /= 3) {
        t[a] = origin * static_cast<double>(a + 1);
        s[a] = t[a] + static_cast<double>(rest % 3);
      }
      const Position ahead{std::span<const double>(s).first(width)};
      const Position behind{std::span<const double>(t).first(width)};
      pairs.add(ahead, behind);
      if (both && code > 0) pairs.add(behind, ahead);
    }
  }
}

Pairs sampled_pairs(const Effects& effects, const Extent& extent, const Claims& claims) {
  const bool both = claims.needs_causal_mask != Claim::kYes;
  const bool endless = claims.any_length == Claim::kYes;
  const Index longest = extent.dim > kWide ? kLongestWideLag : kLongestLag;
  const Index last = endless ? longest : std::min(longest, extent.positions - 1);
  Pairs pairs;
  for (Index lag = 0; lag <= last; ++lag) pairs.add_lag(0.0, lag, both);
  if (endless) {
    for (const double origin : kFarOrigins)
      for (const Index lag : kOtherLags) pairs.add_lag(origin, lag, both);
  } else {
    for (const Index origin : {Index{1}, last / 3, last / 2})
      for (const Index lag : kOtherLags)
        if (origin + lag <= last) pairs.add_lag(static_cast<double>(origin), lag, both);
  }
  const bool other_sites = effects.input || effects.logit || effects.key_offset;
  if (effects.query_key && effects.query_key->groups.size() > 1 && !other_sites)
    add_vector_lags(static_cast<Index>(effects.query_key->groups.size()), both, pairs);
  return pairs;
}

// What the encoding varies. Forms are made when they are needed: together they may not fit.
struct Forms {
  const Effects& effects;
  const Extent& extent;
  std::vector<SampledPair> pairs = {};
  bool plain = true;      // u, v and c are zero: the form is M
  bool bias_only = true;  // M is the identity, u and v are zero: the form is c

  PairForm pair(const Position& s, const Position& t) const {
    return pair_form(effects, extent, extent.heads - 1, s, t);
  }
  EigenMatrix at(const Position& s, const Position& t) const;
};

EigenMatrix Forms::at(const Position& s, const Position& t) const {
  const PairForm form = pair(s, t);
  if (plain) return as_eigen(form.m);
  if (bias_only) return EigenMatrix::Constant(1, 1, form.c);
  const Index d = form.m.rows();
  EigenMatrix result(d + 1, d + 1);
  result.topLeftCorner(d, d) = as_eigen(form.m);
  result.topRightCorner(d, 1) = as_eigen(std::span(form.u));
  result.bottomLeftCorner(1, d) = as_eigen(std::span(form.v)).transpose();
  result(d, d) = form.c;
  return result;
}

bool is_zero(const Vector& x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return value == 0.0; });
}

// Rounding is relative to the form; that of a bias, which may be 0, to the largest.
void set_scales(double largest_bias, Forms& forms) {
  double largest = largest_bias;
  for (const SampledPair& pair : forms.pairs)
    if (!forms.bias_only) largest = std::max(largest, pair.scale);
  for (SampledPair& pair : forms.pairs)
    if (forms.bias_only || pair.scale == 0.0) pair.scale = largest > 0.0 ? largest : 1.0;
}

// Pairs that are masked by -infinity do not exist.
Forms sampled_forms(const Encoding& encoding, const Effects& effects, const Extent& extent) {
  Forms result{.effects = effects, .extent = extent};
  const Pairs sampled = sampled_pairs(effects, extent, encoding.claims());
  check_room(sampled.list, extent.dim, encoding.info().name);
  const EigenMatrix unit = EigenMatrix::Identity(extent.dim, extent.dim);
  double largest_bias = 0.0;
  for (const SampledPair& pair : sampled.list) {
    const PairForm form = result.pair(pair.s, pair.t);
    if (form.c == -std::numeric_limits<double>::infinity()) continue;
    const bool linear = is_zero(form.u) && is_zero(form.v);
    const double terms = std::hypot(as_eigen(std::span(form.u)).stableNorm(),
                                    as_eigen(std::span(form.v)).stableNorm(), form.c);
    const double size = std::hypot(as_eigen(form.m).stableNorm(), terms);
    if (!std::isfinite(size))
      fail(ErrorCode::kNumeric, encoding.info().name, "form must be finite at s={}, t={}",
           pair.s[0], pair.t[0]);
    result.plain = result.plain && linear && form.c == 0.0;
    result.bias_only = result.bias_only && linear && as_eigen(form.m) == unit;
    result.pairs.push_back(pair);
    result.pairs.back().scale = size;
    largest_bias = std::max(largest_bias, std::abs(form.c));
  }
  require(!result.pairs.empty(), encoding.info().name, "some pair must not be masked");
  result.bias_only = result.bias_only && !result.plain;
  set_scales(largest_bias, result);
  return result;
}

bool varies(const LagMeans& means, double allowed) {
  return std::any_of(means.lags.begin(), means.lags.end(), [&](const LagMean& lag) {
    const EigenMatrix& first = means.lags.front().mean;
    return (lag.mean - first).norm() > allowed * first.norm();
  });
}

// What `compute` gives, or nothing where the numbers end on the way.
template <typename Compute>
std::optional<EigenMatrix> finite(const Compute& compute) try {
  EigenMatrix result = compute();
  if (!result.allFinite()) return std::nullopt;
  return result;
} catch (const Error& error) {
  if (error.code() != ErrorCode::kNumeric) throw;
  return std::nullopt;
}

// Very smooth forms pass for a finite order on short lags. Far ones tell: a realisation that misses
// them is dropped, also where it overflows and the form does not.
void check_far(const Forms& forms, const LagMeans& means, MapTest& test) {
  if (!test.realisation) return;
  const Realisation& found = *test.realisation;
  const ExponentialFamily family(found.x);
  double size = 0.0;
  for (const LagMean& lag : means.lags) size = std::max(size, lag.mean.norm());
  for (const double lag : kFarLags) {
    const std::optional<EigenMatrix> form = finite([&] { return forms.at(lag, 0.0); });
    if (!form) return;
    const std::optional<EigenMatrix> model = finite([&]() -> EigenMatrix {
      const Matrix a = family.at(lag);
      return as_eigen(found.c) * as_eigen(a) * as_eigen(found.b);
    });
    const double off = model ? (*model - *form).norm() / std::max(size, form->norm())
                             : std::numeric_limits<double>::infinity();
    if (off <= kFarTolerance) continue;
    test.reason += fmt::format(", but misses lag {} by {:.2g}: no finite order", lag, off);
    test.realisation.reset();
    return;
  }
}

// The generator of scalar positions, where the maps are groups.
std::optional<Matrix> exact_generator(const Effects& effects) {
  if (!effects.query_key || !effects.query_key->splits()) return std::nullopt;
  Matrix sum(effects.query_key->dim(), effects.query_key->dim());
  for (const OneParameterGroup& group : effects.query_key->groups)
    as_eigen(sum) += as_eigen(group.generator());
  return sum;
}

}  // namespace

MapTest test_encoding(const Encoding& encoding, const Extent& extent,
                      const ClassifyOptions& options) {
  if (extent.dim > kMostEncodingDim)
    fail(
        ErrorCode::kRefused, encoding.info().name,
        "dim must be at most {} to be tested within a minute but got {}; families do not depend on "
        "it",
        kMostEncodingDim, extent.dim);
  const Effects effects = encoding.effects(extent);
  require(encoding.claims().any_length == Claim::kYes || extent.positions >= 4,
          encoding.info().name, "positions must be at least 4 to be tested but got {}",
          extent.positions);
  const Forms forms = sampled_forms(encoding, effects, extent);
  const LagMeans means = lag_means(
      forms.pairs, [&](std::size_t n) { return forms.at(forms.pairs[n].s, forms.pairs[n].t); });
  if (options.progress) options.progress(kSampled);
  const ClassifyOptions rest = rest_of(options, kSampled);

  MapTest test;
  test.dim = means.lags.front().mean.rows();
  if (forms.bias_only && varies(means, allowance(options.noise, 1))) {
    if (decide_relative(means, rest, test)) decide_realisation(means, rest, "a bias by lag", test);
  } else {
    decide(means, rest, forms.plain ? exact_generator(effects) : std::nullopt, test);
  }
  if (encoding.claims().any_length == Claim::kYes) check_far(forms, means, test);
  if (effects.query_key && !effects.query_key->commute)
    test.warnings.push_back(fmt::format(
        "generators that do not commute, |XY-YX| = {:.3g} |X||Y|: only approximately relative",
        effects.query_key->commutator_norm()));
  if (options.progress) options.progress(1.0);
  return test;
}

}  // namespace sextant
