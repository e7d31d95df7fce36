// SPDX-License-Identifier: Apache-2.0
// The sites' own operations, and the names of claims and sites.
#include "sextant/encoding.h"

#include "math/double_double.h"
#include "math/eigen_map.h"
#include "math/rounding.h"

namespace sextant {

Matrix QueryKeyMap::at(const Position& lag) const {
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
  for (std::size_t axis = 0; axis < groups.size(); ++axis)
    groups[axis].apply_to_query(s[static_cast<Index>(axis)], x);
  if (magnitude.high != 1.0) as_eigen(x) *= to_double(magnitude);
}

void QueryKeyMap::apply_to_key(const Position& t, std::span<double> x) const {
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
