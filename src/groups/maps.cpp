// SPDX-License-Identifier: Apache-2.0
// Tests of sampled maps: F(s)^T G(t) by lag.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "groups/group_fit.h"
#include "groups/shift.h"
#include "sextant/classify.h"

namespace sextant {
namespace {

// A sample is a whole matrix, so that the dimension does not matter: with 4 positions there are 4
// lags from 0 on, as many as the least Hankel matrix and its shift need.
constexpr Index kLeastPositions = 4;
constexpr double kMostPairs = 4e6;
constexpr double kCompared = 0.9;  // of the work: the means per lag

void check_stack(const std::vector<Matrix>& stack, Index count, Index dim, std::string_view name) {
  require(static_cast<Index>(stack.size()) == count, "maps",
          "{} must have one matrix per position, {}, but has {}", name, count, stack.size());
  for (std::size_t i = 0; i < stack.size(); ++i) {
    require(stack[i].rows() == dim && stack[i].cols() == dim, "maps",
            "{}[{}] must be {} x {} but is {} x {}", name, i, dim, dim, stack[i].rows(),
            stack[i].cols());
    if (!as_eigen(stack[i]).allFinite())
      fail(ErrorCode::kNumeric, "maps", "{}[{}] must be finite", name, i);
  }
}

void check(const MapSamples& samples) {
  require(!samples.f.empty() && samples.f.front().rows() > 0, "maps", "F must not be empty");
  const Index dim = samples.f.front().rows();
  require(dim <= kMostGenerator, "maps", "maps must be at most {0} x {0} but are {1} x {1}",
          kMostGenerator, dim);
  check_stack(samples.f, samples.s.size(), dim, "F");
  check_stack(samples.g, samples.t.size(), dim, "G");
  for (const MapSamples::Stacks& other : samples.contents) {
    check_stack(other.f, samples.s.size(), dim, "F of another content");
    check_stack(other.g, samples.t.size(), dim, "G of another content");
  }
  require(samples.s.size() >= kLeastPositions && samples.t.size() >= kLeastPositions, "maps",
          "F and G must be sampled at {} positions at least but are at {} and {}", kLeastPositions,
          samples.s.size(), samples.t.size());
  require(samples.s.axes() == samples.t.axes(), "maps",
          "positions of F and G must have one number of axes but have {} and {}", samples.s.axes(),
          samples.t.axes());
  const double pairs =
      static_cast<double>(samples.s.size()) * static_cast<double>(samples.t.size());
  if (pairs > kMostPairs)
    fail(ErrorCode::kRefused, "maps", "{:.2g} pairs of positions, more than {:.2g}: give fewer",
         pairs, kMostPairs);
}

// How far two stacks of one map are apart, relative.
double difference(const std::vector<Matrix>& a, const std::vector<Matrix>& b) {
  double off = 0.0, all = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    off += (as_eigen(a[i]) - as_eigen(b[i])).squaredNorm();
    all += as_eigen(a[i]).squaredNorm();
  }
  return off == 0.0 ? 0.0 : std::sqrt(off / all);
}

double content_effect(const MapSamples& samples) {
  double worst = 0.0;
  for (const MapSamples::Stacks& other : samples.contents)
    worst = std::max({worst, difference(samples.f, other.f), difference(samples.g, other.g)});
  return worst;
}

std::vector<double> norms(const std::vector<Matrix>& stack) {
  std::vector<double> result;
  result.reserve(stack.size());
  for (const Matrix& m : stack) result.push_back(as_eigen(m).norm());
  return result;
}

// Scales are the sizes that noise of F and of G is relative to; a pair of zero maps has that of the
// least other one.
std::vector<SampledPair> all_pairs(const MapSamples& samples) {
  const std::vector<double> f = norms(samples.f), g = norms(samples.g);
  const double root = std::sqrt(static_cast<double>(samples.f.front().rows()));
  std::vector<SampledPair> pairs;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < f.size(); ++i) {
    for (std::size_t j = 0; j < g.size(); ++j) {
      const auto m = static_cast<Index>(i), n = static_cast<Index>(j);
      const double scale = f[i] * g[j] / root;
      if (scale > 0.0) least = std::min(least, scale);
      pairs.push_back({.i = m, .j = n, .s = samples.s[m], .t = samples.t[n], .scale = scale});
    }
  }
  for (SampledPair& pair : pairs)
    if (pair.scale == 0.0) pair.scale = std::isfinite(least) ? least : 1.0;
  return pairs;
}

}  // namespace

std::string_view name(MapVerdict verdict) {
  switch (verdict) {
    case MapVerdict::kGroup:
      return "group";
    case MapVerdict::kRelative:
      return "relative but no group";
    case MapVerdict::kNotRelative:
      return "not relative";
    case MapVerdict::kContentDependent:
      return "content dependent";
  }
  return "";
}

MapTest test_maps(const MapSamples& samples, const ClassifyOptions& options) {
  check(samples);
  MapTest test;
  test.dim = samples.f.front().rows();
  const double content = content_effect(samples);
  if (const double allowed = allowance(options.noise, test.dim); content > allowed) {
    test.verdict = MapVerdict::kContentDependent;
    test.reason = fmt::format(
        "maps of other contents differ by {:.3g}, allowed {:.2g}: not linear in q and k", content,
        allowed);
    return test;
  }
  const std::vector<SampledPair> pairs = all_pairs(samples);
  check_room(pairs, test.dim, "maps");
  std::size_t looks = 0;
  const LagMeans means = lag_means(pairs, [&](std::size_t n) -> EigenMatrix {
    if (options.progress && looks++ % samples.g.size() == 0)
      options.progress(kCompared * static_cast<double>(looks) /
                       (2.0 * static_cast<double>(pairs.size())));
    const auto i = static_cast<std::size_t>(pairs[n].i), j = static_cast<std::size_t>(pairs[n].j);
    return as_eigen(samples.f[i]).transpose() * as_eigen(samples.g[j]);
  });
  require(means.repeated, "maps", "some lag must occur twice, or nothing can be compared");
  require(means.find(Position(0.0)) != nullptr && means.scalar().back()->lag[0] > means.tolerance,
          "maps", "F and G must share a position, and some lag must be positive on every axis");
  decide(means, rest_of(options, kCompared), std::nullopt, test);
  if (options.progress) options.progress(1.0);
  return test;
}

}  // namespace sextant
