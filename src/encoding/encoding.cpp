// SPDX-License-Identifier: Apache-2.0
// The sites' own operations, and the names of claims and sites.
#include "sextant/encoding.h"

#include "base/check.h"
#include "base/rounding.h"
#include "math/commutator.h"
#include "math/double_double.h"
#include "math/eigen_map.h"
#include "math/exponential_family.h"

namespace sextant {

namespace {

void check_axes(const QueryKeyMap& map, const Position& p) {
  const auto axes = static_cast<Index>(map.groups.size());
  require(p.axes() == 1 || p.axes() == axes, "position", "must have 1 or {} coordinates but has {}",
          axes, p.axes());
}

std::vector<Matrix> generators(const QueryKeyMap& map) {
  std::vector<Matrix> result;
  for (const OneParameterGroup& group : map.groups) result.push_back(group.generator());
  return result;
}

// exp(t sum_a p_a X_a) of generators that need not commute.
ExponentialFamily along(const QueryKeyMap& map, const Position& p) {
  Matrix sum(map.dim(), map.dim());
  const std::vector<Matrix> x = generators(map);
  for (std::size_t axis = 0; axis < x.size(); ++axis)
    as_eigen(sum) += p[static_cast<Index>(axis)] * as_eigen(x[axis]);
  return ExponentialFamily(std::move(sum));
}

// Coordinates that the magnitude multiplies: those of blocks that turn, also by the frequency 0,
// grow or chain on some axis. The others have no cosine, and engines leave them alone. A dense
// generator moves all. A group in another basis does not say which move; no encoding of that kind
// has a magnitude.
std::vector<bool> moving(const QueryKeyMap& map) {
  std::vector<bool> result(static_cast<std::size_t>(map.dim()));
  for (const OneParameterGroup& group : map.groups) {
    if (group.blocks().empty()) result.assign(result.size(), true);
    std::size_t place = 0;
    for (const JordanBlock& block : group.blocks()) {
      const bool moves = block.complex() || !block.trivial();
      for (const std::size_t end = place + static_cast<std::size_t>(block.dim()); place < end;
           ++place)
        if (moves) result[static_cast<std::size_t>(group.order()[place])] = true;
    }
  }
  return result;
}

void multiply_magnitude(const QueryKeyMap& map, std::span<double> x) {
  if (map.magnitude.high == 1.0) return;
  const std::vector<bool> moves = moving(map);
  const double factor = to_double(map.magnitude);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (moves[i]) x[i] *= factor;
}

}  // namespace

Extent Encoding::fitted(Extent asked) const {
  if (dim() > 0) asked.dim = dim();
  if (heads() > 0) asked.heads = heads();
  return asked;
}

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

Matrix QueryKeyMap::at(const Position& p) const {
  check_axes(*this, p);
  const auto polynomial_time = [&](double tau) {
    return splits() ? tau : tau / (1.0 + std::abs(tau) / saturation);
  };
  const auto factor = [&](std::size_t axis) {
    const double tau = p[static_cast<Index>(axis)];
    return groups[axis].matrix(tau, polynomial_time(tau));
  };
  Matrix result = commute ? factor(0) : along(*this, p).at(1.0);
  for (std::size_t axis = 1; commute && axis < groups.size(); ++axis) {
    const Matrix next = factor(axis);
    as_eigen(result) *= as_eigen(next);
  }
  if (magnitude.high == 1.0) return result;
  const std::vector<bool> moves = moving(*this);
  const double square = to_double(magnitude * magnitude);
  for (Index i = 0; i < dim(); ++i)
    if (moves[static_cast<std::size_t>(i)]) as_eigen(result.row(i)) *= square;
  return result;
}

Matrix QueryKeyMap::between(const Position& s, const Position& t) const {
  if (commute || (s.axes() == 1 && t.axes() == 1)) return at(s - t);
  check_axes(*this, t);
  Matrix result = at(s);
  const Matrix back = along(*this, t).at(-1.0);
  as_eigen(result) *= as_eigen(back);
  return result;
}

double QueryKeyMap::commutator_norm() const { return sextant::commutator_norm(generators(*this)); }

void QueryKeyMap::apply_to_query(const Position& s, std::span<double> x) const {
  check_axes(*this, s);
  if (!commute) along(*this, s).apply_transposed(1.0, x);
  for (std::size_t axis = 0; commute && axis < groups.size(); ++axis)
    groups[axis].apply_to_query(s[static_cast<Index>(axis)], x);
  multiply_magnitude(*this, x);
}

void QueryKeyMap::apply_to_key(const Position& t, std::span<double> x) const {
  check_axes(*this, t);
  if (!commute) along(*this, t).apply(-1.0, x);
  for (std::size_t axis = 0; commute && axis < groups.size(); ++axis)
    groups[axis].apply_to_key(t[static_cast<Index>(axis)], x);
  multiply_magnitude(*this, x);
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
