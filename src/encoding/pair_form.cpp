// SPDX-License-Identifier: Apache-2.0
// The slow reference and the route of attention, side by side.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "math/eigen_map.h"
#include "sextant/encoding.h"

namespace sextant {
namespace {

// Far positions with decay or polynomial growth count from the key's chunk: split factors
// e^(as), e^(-at) overflow, or cancel, long before their product does. Vectors of groups that do
// not commute have no origin but 0.
constexpr double kChunk = 64.0;

Position chunk_origin(const QueryKeyMap& map, const Position& s, const Position& t) {
  if (!map.commute && (s.axes() > 1 || t.axes() > 1)) return 0.0;
  const bool rotation = std::all_of(map.groups.begin(), map.groups.end(), [](const auto& group) {
    return !group.blocks().empty() &&
           std::all_of(group.blocks().begin(), group.blocks().end(), [](const JordanBlock& block) {
             return block.decay == 0.0 && block.size == 1;
           });
  });
  std::array<double, kMaxAxes> origin = {};
  for (Index axis = 0; !rotation && axis < t.axes(); ++axis)
    origin[static_cast<std::size_t>(axis)] = kChunk * std::floor(t[axis] / kChunk);
  return Position(std::span(origin).first(static_cast<std::size_t>(t.axes())));
}

Vector input_row(const InputTable& table, Index dim, const Position& t) {
  Vector row(static_cast<std::size_t>(dim));
  table.row(t, row);
  return row;
}

void add(const Vector& term, Vector& sum) { as_eigen(std::span(sum)) += as_eigen(std::span(term)); }

void check_scalar(const Effects& effects, const Position& s, const Position& t) {
  const bool scalar = s.axes() == 1 && t.axes() == 1;
  require(scalar || (!effects.logit && !effects.key_offset), "position",
          "must have one coordinate for a bias but has {}", std::max(s.axes(), t.axes()));
}

double dot(std::span<const double> a, std::span<const double> b) {
  return as_eigen(a).dot(as_eigen(b));
}

}  // namespace

double PairForm::operator()(std::span<const double> q, std::span<const double> k) const {
  return as_eigen(q).dot(as_eigen(m) * as_eigen(k)) + dot(u, q) + dot(v, k) + c;
}

PairForm pair_form(const Effects& effects, const Extent& extent, Index head, const Position& s,
                   const Position& t) {
  check_scalar(effects, s, t);
  const auto width = static_cast<std::size_t>(extent.dim);
  PairForm form{
      .m = effects.query_key ? effects.query_key->between(s, t) : Matrix::identity(extent.dim),
      .u = Vector(width),
      .v = Vector(width)};
  if (effects.key_offset) {
    LinearTerms terms = effects.key_offset->at(head, s[0], t[0]);
    form.u = std::move(terms.u);
    form.v = std::move(terms.v);
    form.c = terms.c;
  }
  if (effects.input) {  // (q + p_s)^T M (k + p_t) + u^T (q + p_s) + v^T (k + p_t)
    const Vector at_s = input_row(*effects.input, extent.dim, s);
    const Vector at_t = input_row(*effects.input, extent.dim, t);
    const auto ps = as_eigen(std::span(at_s));
    const auto pt = as_eigen(std::span(at_t));
    form.c += ps.dot(as_eigen(form.m) * pt) + dot(form.u, at_s) + dot(form.v, at_t);
    as_eigen(std::span(form.u)) += as_eigen(form.m) * pt;
    as_eigen(std::span(form.v)) += as_eigen(form.m).transpose() * ps;
  }
  if (effects.logit) form.c += effects.logit->at(head, s[0], t[0]);
  return form;
}

double fast_logit(const Effects& effects, Index head, const Position& s, const Position& t,
                  Vector q, Vector k) {
  check_scalar(effects, s, t);
  require(q.size() == k.size(), "logit", "query and key must have one size but have {} and {}",
          q.size(), k.size());
  const auto dim = static_cast<Index>(q.size());
  if (effects.input) {
    add(input_row(*effects.input, dim, s), q);
    add(input_row(*effects.input, dim, t), k);
  }
  double logit = 0.0;
  if (effects.key_offset) {
    const LinearTerms terms = effects.key_offset->at(head, s[0], t[0]);
    logit += dot(terms.u, q) + dot(terms.v, k) + terms.c;
  }
  if (effects.logit) logit += effects.logit->at(head, s[0], t[0]);
  if (effects.query_key) {
    const QueryKeyMap& map = *effects.query_key;
    if (!map.splits()) {
      const Matrix operator_at_lag = map.between(s, t);
      return logit + as_eigen(std::span<const double>(q))
                         .dot(as_eigen(operator_at_lag) * as_eigen(std::span<const double>(k)));
    }
    const Position origin = chunk_origin(map, s, t);
    map.apply_to_query(s - origin, q);
    map.apply_to_key(t - origin, k);
  }
  return logit + dot(q, k);
}

double distance(const PairForm& a, const PairForm& b) {
  const auto gap = [](double x, double y) { return x == y ? 0.0 : std::abs(x - y); };
  double worst = gap(a.c, b.c);
  for (std::size_t i = 0; i < a.u.size(); ++i)
    worst = std::max({worst, gap(a.u[i], b.u[i]), gap(a.v[i], b.v[i])});
  for (std::size_t i = 0; i < a.m.values().size(); ++i)
    worst = std::max(worst, gap(a.m.values()[i], b.m.values()[i]));
  return worst;
}

Matrix input_rows(const InputTable& table, const Extent& extent, const Positions& positions) {
  Matrix rows(positions.size(), extent.dim);
  for (Index i = 0; i < positions.size(); ++i) table.row(positions[i], rows.row(i));
  return rows;
}

}  // namespace sextant
