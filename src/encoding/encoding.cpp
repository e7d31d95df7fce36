// SPDX-License-Identifier: Apache-2.0
// The sites' own operations, and the names of claims and sites.
#include "sextant/encoding.h"

#include "base/check.h"
#include "base/rounding.h"
#include "math/double_double.h"
#include "math/eigen_map.h"

namespace sextant {

namespace {

void check_axes(const QueryKeyMap& map, const Position& p) {
  const auto axes = static_cast<Index>(map.groups.size());
  require(p.axes() == 1 || p.axes() == axes, "position", "must have 1 or {} coordinates but has {}",
          axes, p.axes());
}

}  // namespace

Effects Encoding::effects(const Extent& extent) const {
  const auto check = [&](Index value, Index least, std::string_view size) {
    require(value >= least && value <= kMostColumns, info().name, "{} must be {} to {} but got {}",
            size, least, kMostColumns, value);
  };
  check(extent.dim, 1, "dim");
  check(extent.heads, 1, "heads");
  require(extent.positions >= 0, info().name, "positions must not be negative but got {}",
          extent.positions);
  return make_effects(extent);
}

Matrix QueryKeyMap::at(const Position& lag) const {
  check_axes(*this, lag);
  const auto polynomial_time = [&](double tau) {
    return splits() ? tau : tau / (1.0 + std::abs(tau) / saturation);
  };
  Matrix result = groups.front().matrix(lag[0], polynomial_time(lag[0]));
  for (std::size_t axis = 1; axis < groups.size(); ++axis) {
    const double tau = lag[static_cast<Index>(axis)];
    const Matrix next = groups[axis].matrix(tau, polynomial_time(tau));
    as_eigen(result) *= as_eigen(next);
  }
  as_eigen(result) *= to_double(magnitude * magnitude);
  return result;
}

void QueryKeyMap::apply_to_query(const Position& s, std::span<double> x) const {
  check_axes(*this, s);
  for (std::size_t axis = 0; axis < groups.size(); ++axis)
    groups[axis].apply_to_query(s[static_cast<Index>(axis)], x);
  if (magnitude.high != 1.0) as_eigen(x) *= to_double(magnitude);
}

void QueryKeyMap::apply_to_key(const Position& t, std::span<double> x) const {
  check_axes(*this, t);
  for (std::size_t axis = 0; axis < groups.size(); ++axis)
    groups[axis].apply_to_key(t[static_cast<Index>(axis)], x);
  if (magnitude.high != 1.0) as_eigen(x) *= to_double(magnitude);
}

std::vector<std::pair<std::string_view, Claim>> named(const Claims& claims) {
  return {{"translation_invariant", claims.translation_invariant},
          {"group", claims.group},
          {"norm_preserving", claims.norm_preserving},
          {"orthogonal", claims.orthogonal},
          {"any_length", claims.any_length},
          {"separates", claims.separates},
          {"bounded", claims.bounded},
          {"needs_causal_mask", claims.needs_causal_mask},
          {"length_free", claims.length_free}};
}

std::string_view name(Claim claim) {
  switch (claim) {
    case Claim::kNo:
      return "no";
    case Claim::kYes:
      return "yes";
    case Claim::kNotApplicable:
      return "not applicable";
  }
  return "";
}

std::vector<std::string_view> names(const Sites& sites) {
  std::vector<std::string_view> result;
  if (sites.input) result.push_back("input");
  if (sites.query_key) result.push_back("query_key");
  if (sites.logit) result.push_back("logit");
  if (sites.key_offset) result.push_back("key_offset");
  return result;
}

}  // namespace sextant
