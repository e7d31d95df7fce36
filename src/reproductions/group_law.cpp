// SPDX-License-Identifier: Apache-2.0
// The group post prints no numbers. Its quantified claims: valid encodings are one-parameter
// groups, those in use among them, and generators that cannot be diagonalised are valid too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/eigen_map.h"
#include "sextant/registry.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "group-law",
    .source =
        "Using group theory to explore the space of positional encodings for attention, Jane "
        "Street blog",
    .method = "largest |A(s)A(t) - A(s+t)| / (|A(s)| |A(t)|) over s, t in 0, 1, 7, 50, 199; d=16"};

constexpr Index kDim = 16;
constexpr double kTimes[] = {0.0, 1.0, 7.0, 50.0, 199.0};
constexpr double kRounding = 1e-12;

struct Member {
  const char* spec;
  const char* place;
};
constexpr Member kMembers[] = {
    {"rope", "'all widely used positional encodings, including RoPE'"},
    {"xpos", "'all widely used positional encodings, including RoPE'"},
    {"decay", "one-parameter groups A(t) = exp(tX)"},
    {"alibi_lift", "'all widely used positional encodings, including RoPE'"},
    {"jordan", "'non-diagonalizable generator matrices'"},
};

std::vector<PublishedCell> cells() {
  std::vector<PublishedCell> result;
  for (const Member& each : kMembers) {
    result.push_back(computed_cell(fmt::format("{} / A(s)A(t) = A(s+t)", each.spec), each.place,
                                   "0", fmt::format("{}, d={}", each.spec, kDim)));
    result.back().half_digit = kRounding;
  }
  return result;
}

double residual(const OneParameterGroup& group) {
  double worst = 0.0;
  for (const double s : kTimes) {
    for (const double t : kTimes) {
      const Matrix first = group.matrix(s), second = group.matrix(t), both = group.matrix(s + t);
      const auto a = as_eigen(first), b = as_eigen(second), ab = as_eigen(both);
      worst = std::max(worst, (a * b - ab).norm() / (a.norm() * b.norm()));
    }
  }
  return worst;
}

void compute(std::span<PublishedCell> cells, const ReproductionContext&) {
  for (std::size_t i = 0; i < std::size(kMembers); ++i) {
    const std::unique_ptr<Encoding> encoding = encodings().make(kMembers[i].spec);
    const Extent extent = encoding->fitted({.positions = 200, .dim = kDim, .heads = 1});
    cells[i].readings[0].ours = residual(encoding->effects(extent).query_key->groups.front());
  }
}

}  // namespace

void register_group_law(ReproductionRegistry& registry) { registry.add(kInfo, cells, compute); }

}  // namespace sextant
