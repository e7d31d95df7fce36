// SPDX-License-Identifier: Apache-2.0
#include "theory/actions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "base/check.h"
#include "math/double_double.h"
#include "math/eigen_map.h"
#include "math/memory_plan.h"

namespace sextant {
namespace {

// Below this share of its norm an operator lies in the span of those before it.
constexpr double kInSpan = 1e-13;

// Some columns of the points; `fill` throws where the encoding ends.
struct Site {
  std::string_view name;
  Index columns = 0;
  std::function<void(double t, std::span<double> out)> fill;
};

bool same(const JordanBlock& a, const JordanBlock& b) {
  return a.decay == b.decay && a.frequency == b.frequency && a.size == b.size &&
         a.coupling == b.coupling && a.complex() == b.complex();
}

// Whether the blocks lie on coordinates, in no other basis.
bool in_coordinates(const OneParameterGroup& group) {
  const Matrix here = group.generator();
  const Matrix plain = OneParameterGroup(group.blocks(), group.order()).generator();
  return std::ranges::equal(here.values(), plain.values());
}

bool stacks(const OneParameterGroup& a, const OneParameterGroup& b) {
  return a.order() == b.order() &&
         std::ranges::equal(a.blocks(), b.blocks(), [](const auto& x, const auto& y) {
           return x.size == 1 && y.size == 1 && x.complex() == y.complex();
         });
}

// The sum of generators whose blocks stand on the same coordinates, as one group.
std::optional<OneParameterGroup> stacked(const std::vector<OneParameterGroup>& groups) {
  std::vector<JordanBlock> blocks = groups.front().blocks();
  if (blocks.empty()) return {};
  for (const OneParameterGroup& group : groups)
    if (!stacks(groups.front(), group) || !in_coordinates(group)) return {};
  for (JordanBlock& block : blocks) block.rotates = block.complex();  // frequencies may cancel
  for (std::size_t axis = 1; axis < groups.size(); ++axis) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i].decay += groups[axis].blocks()[i].decay;
      blocks[i].frequency = blocks[i].frequency + groups[axis].blocks()[i].frequency;
    }
  }
  return OneParameterGroup(std::move(blocks), groups.front().order());
}

// The first row of a block holds all of its numbers: link r of a chain of m repeats m - r times,
// and cosine and sine twice each. Blocks that occur several times count as often.
Site block_site(const QueryKeyMap& map) {
  std::vector<JordanBlock> distinct;
  std::vector<double> counts;
  for (const JordanBlock& block : map.groups.front().blocks()) {
    const auto found =
        std::ranges::find_if(distinct, [&](const auto& known) { return same(known, block); });
    if (found == distinct.end()) {
      distinct.push_back(block);
      counts.push_back(1.0);
    } else {
      counts[static_cast<std::size_t>(found - distinct.begin())] += 1.0;
    }
  }
  Vector weights;
  std::vector<Index> starts;  // of the block that a column belongs to
  for (std::size_t b = 0; b < distinct.size(); ++b) {
    const Index width = distinct[b].complex() ? 2 : 1;
    const auto start = static_cast<Index>(weights.size());
    for (Index i = 0; i < distinct[b].dim(); ++i) {
      const Index copies = width * (distinct[b].size - i / width);
      weights.push_back(
          std::sqrt(static_cast<double>(copies) * counts[b] / static_cast<double>(map.dim())));
      starts.push_back(start);
    }
  }
  const auto columns = static_cast<Index>(weights.size());
  QueryKeyMap compact{.groups = {OneParameterGroup(std::move(distinct))},
                      .magnitude = map.magnitude,
                      .saturation = map.saturation};
  return {"operators", columns,
          [compact = std::move(compact), weights = std::move(weights), starts = std::move(starts)](
              double t, std::span<double> out) {
            if (compact.splits()) {
              for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = starts[i] == static_cast<Index>(i) ? 1.0 : 0.0;
              compact.apply_to_query(t, out);
              if (compact.magnitude.high != 1.0) compact.apply_to_key(0.0, out);  // the key's
            } else {
              const Matrix a = compact.at(t);
              for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = a(starts[i], static_cast<Index>(i));
            }
            for (std::size_t i = 0; i < out.size(); ++i) out[i] *= weights[i];
          }};
}

// Coordinates of operators in an orthonormal basis of their span. exp(tX) is a polynomial in X of
// degree below d for each t, so that d coordinates do.
class SpanCoordinates {
 public:
  explicit SpanCoordinates(Index dim) : basis_(empty_basis(dim)) {}

  void write(const Matrix& a, std::span<double> out) {
    Eigen::VectorXd rest = as_eigen(a.values());
    const double norm = rest.norm();
    std::fill(out.begin(), out.end(), 0.0);
    // Twice: one pass of Gram-Schmidt leaves rounding of the size of what it takes away.
    for (int pass = 0; pass < 2 && count_ > 0; ++pass) {
      const auto known = basis_.topRows(count_);
      const Eigen::VectorXd part = known * rest;
      rest -= known.transpose() * part;
      as_eigen(out).head(count_) += part;
    }
    const double length = rest.norm();
    if (count_ == basis_.rows() || !(length > kInSpan * norm)) return;
    basis_.row(count_) = rest.transpose() / length;
    out[static_cast<std::size_t>(count_++)] = length;
  }

 private:
  static EigenMatrix empty_basis(Index dim) {
    refuse_beyond_memory("profile", bytes_of(dim, dim * dim));
    return EigenMatrix(dim, dim * dim);
  }

  EigenMatrix basis_;
  Index count_ = 0;
};

Site operator_site(const QueryKeyMap& map) {
  QueryKeyMap line = along_the_diagonal(map);
  if (!is_dense(line)) return block_site(line);
  const double scale = 1.0 / std::sqrt(static_cast<double>(map.dim()));
  return {"operators", map.dim(),
          [line = std::move(line), scale, span = std::make_shared<SpanCoordinates>(map.dim())](
              double t, std::span<double> out) {
            span->write(line.at(t), out);
            as_eigen(out) *= scale;
          }};
}

Site bias_site(const LogitBias& bias, const Extent& extent) {
  const auto last = static_cast<double>(extent.positions - 1);
  return {"bias", extent.heads, [&bias, last](double lag, std::span<double> out) {
            for (std::size_t h = 0; h < out.size(); ++h)
              out[h] = bias.at(static_cast<Index>(h), last, last - lag);
          }};
}

Site offset_site(const KeyOffset& offset, const Extent& extent) {
  const auto last = static_cast<double>(extent.positions - 1);
  return {"key offsets", 2 * extent.dim + 1, [&offset, last](double lag, std::span<double> out) {
            const LinearTerms terms = offset.at(0, last, last - lag);
            const auto v = std::ranges::copy(terms.u, out.begin()).out;
            *std::ranges::copy(terms.v, v).out = terms.c;
          }};
}

Matrix first_rows(Matrix all, Index count) {
  if (count == all.rows()) return all;
  Matrix rows(count, all.cols());
  std::copy_n(all.values().begin(), count * all.cols(), rows.values().begin());
  return rows;
}

}  // namespace

bool is_dense(const QueryKeyMap& line) {
  return line.groups.size() != 1 || line.groups.front().blocks().empty();
}

QueryKeyMap along_the_diagonal(const QueryKeyMap& map) {
  if (map.groups.size() == 1 || !map.splits()) return map;
  if (map.commute) {
    if (auto group = stacked(map.groups))
      return {.groups = {std::move(*group)}, .magnitude = map.magnitude};
  }
  refuse_beyond_memory("profile", 3.0 * bytes_of(map.dim(), map.dim()));
  Matrix sum(map.dim(), map.dim());
  for (const OneParameterGroup& group : map.groups) {
    const Matrix x = group.generator();
    as_eigen(sum) += as_eigen(x);
  }
  return {.groups = {OneParameterGroup::from_generator(std::move(sum))},
          .magnitude = map.magnitude};
}

Actions actions(const Effects& effects, const Extent& extent) {
  std::vector<Site> sites;
  Actions result;
  if (effects.input) {
    sites.push_back({"rows", extent.dim, effects.input->row});
    result.row_columns = extent.dim;
  }
  if (effects.query_key) sites.push_back(operator_site(*effects.query_key));
  if (effects.logit) sites.push_back(bias_site(*effects.logit, extent));
  if (effects.key_offset) sites.push_back(offset_site(*effects.key_offset, extent));
  Index columns = 0;
  for (const Site& site : sites) {
    if (site.name == "bias") result.bias_column = columns;
    columns += site.columns;
    if (!result.acts.empty()) result.acts += " + ";
    result.acts += site.name;
  }
  if (sites.empty()) result.acts = "nothing";
  refuse_beyond_memory("profile", bytes_of(extent.positions, columns));
  Matrix points(extent.positions, columns);
  Index t = 0;
  try {
    for (; t < extent.positions; ++t) {
      std::span<double> rest = points.row(t);
      for (const Site& site : sites) {
        site.fill(static_cast<double>(t), rest.first(static_cast<std::size_t>(site.columns)));
        rest = rest.subspan(static_cast<std::size_t>(site.columns));
      }
    }
  } catch (const Error& error) {
    result.ends = error.what();
  }
  result.points = first_rows(std::move(points), t);
  return result;
}

}  // namespace sextant
