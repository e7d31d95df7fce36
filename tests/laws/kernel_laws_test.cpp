// SPDX-License-Identifier: Apache-2.0
// Laws of the rotary kernels for every encoding: what they do to queries and keys is the mirror
// image of the pair form, or they refuse and say why.
#include <gtest/gtest.h>

#include <algorithm>

#include "laws/subjects.h"
#include "sextant/error.h"
#include "sextant/rotary.h"

namespace sextant {
namespace {

// Cosines and sines are rounded to float; identity columns meet no other rounding.
constexpr double kFloatRounding = 2e-7;

// A map by blocks along the diagonal, whose query and key part exist.
bool block_diagonal(const QueryKeyMap& map) {
  if (!map.splits() || !map.commute) return false;
  for (const OneParameterGroup& group : map.groups) {
    if (group.blocks().empty()) return false;
    const Matrix own = group.generator();
    const Matrix plain = OneParameterGroup(group.blocks(), group.order()).generator();
    if (!std::ranges::equal(own.values(), plain.values())) return false;
  }
  return true;
}

// -1 for the second coordinate of each complex link.
Vector mirror(const QueryKeyMap& map) {
  Vector signs(static_cast<std::size_t>(map.dim()), 1.0);
  const OneParameterGroup& group = map.groups.front();
  std::size_t start = 0;
  for (const JordanBlock& block : group.blocks()) {
    const auto dim = static_cast<std::size_t>(block.dim());
    for (std::size_t i = 1; block.complex() && i < dim; i += 2)
      signs[static_cast<std::size_t>(group.order()[start + i])] = -1.0;
    start += dim;
  }
  return signs;
}

class KernelLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Encoding> encoding_ = make_subject(GetParam());
  Extent extent_ = extent_for(*encoding_);
  Effects effects_ = encoding_->effects(extent_);

  Rotary rotary() const { return Rotary(*encoding_, extent_.dim); }

  // Whole coordinates, another one on each axis.
  std::vector<std::int64_t> coordinates(std::int64_t t) const {
    std::vector<std::int64_t> result;
    for (std::size_t a = 0; a < effects_.query_key->groups.size(); ++a)
      result.push_back(t + 3 * static_cast<std::int64_t>(a));
    return result;
  }

  // Column i is what the unit vector i becomes.
  template <typename Apply>
  std::vector<float> columns(const Turns& turns, const Apply& apply) const {
    const auto dim = static_cast<std::size_t>(extent_.dim);
    std::vector<float> unit(dim * dim);
    for (std::size_t i = 0; i < dim; ++i) unit[i * dim + i] = 1.0f;
    const HeadsView view = token_major(unit.data(), 1, extent_.dim, extent_.dim);
    apply(turns, view, view, ApplyOptions{});
    return unit;
  }

  template <typename Slow>
  void expect_mirrored(const std::vector<float>& found, const Slow& slow) const {
    const auto dim = static_cast<std::size_t>(extent_.dim);
    const Vector signs = mirror(*effects_.query_key);
    for (std::size_t i = 0; i < dim; ++i) {
      Vector x(dim);
      x[i] = signs[i];
      slow(x);
      double size = 0.0;
      for (const double value : x) size = std::max(size, std::abs(value));
      for (std::size_t j = 0; j < dim; ++j)
        ASSERT_NEAR(static_cast<double>(found[i * dim + j]), signs[j] * x[j], kFloatRounding * size)
            << "column " << i << " row " << j;
    }
  }
};

TEST_P(KernelLaws, MirrorsThePairFormOrRefuses) {
  if (!effects_.query_key || !block_diagonal(*effects_.query_key)) {
    try {
      rotary();
      ADD_FAILURE() << "takes what it cannot turn";
    } catch (const Error& error) {
      EXPECT_EQ(exit_status(error.code()), exit_status(ErrorCode::kUsage)) << error.what();
    }
    return;
  }
  const QueryKeyMap& map = *effects_.query_key;
  for (const std::int64_t t : {0, 1, 13, 40}) {
    const std::vector<std::int64_t> place = coordinates(t);
    const Vector real(place.begin(), place.end());
    const Position p{std::span<const double>(real)};
    const Turns turns = rotary().at_points(place);
    expect_mirrored(columns(turns, apply_to_queries), [&](Vector& x) { map.apply_to_query(p, x); });
    expect_mirrored(columns(turns, apply_to_keys), [&](Vector& x) { map.apply_to_key(p, x); });
  }
}

TEST_P(KernelLaws, TheOriginLeavesEveryLogit) {
  if (!effects_.query_key || !block_diagonal(*effects_.query_key)) GTEST_SKIP() << "no kernel";
  const auto dim = static_cast<std::size_t>(extent_.dim);
  const auto logit = [&](std::int64_t origin) {
    std::vector<float> q(dim), k(dim);
    for (std::size_t i = 0; i < dim; ++i) {
      q[i] = static_cast<float>(random_vector(extent_.dim, 1)[i]);
      k[i] = static_cast<float>(random_vector(extent_.dim, 2)[i]);
    }
    const HeadsView q_view = token_major(q.data(), 1, 1, extent_.dim);
    const HeadsView k_view = token_major(k.data(), 1, 1, extent_.dim);
    apply_to_queries(rotary().range(50, 1, origin), q_view, q_view);
    apply_to_keys(rotary().range(44, 1, origin), k_view, k_view);
    double sum = 0.0;
    for (std::size_t i = 0; i < dim; ++i)
      sum += static_cast<double>(q[i]) * static_cast<double>(k[i]);
    return sum;
  };
  // Chains grow with the distance from the origin and cancel in the product.
  const double scale = 24.0 * (1.0 + std::abs(logit(44)));
  EXPECT_NEAR(logit(44), logit(60), 1e-4 * scale);
}

INSTANTIATE_TEST_SUITE_P(All, KernelLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sextant
