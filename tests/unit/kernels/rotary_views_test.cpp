// SPDX-License-Identifier: Apache-2.0
// Bad arguments of the kernels: one error that names the argument, never a crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "base/rng.h"
#include "kernels/rotary_views.h"
#include "sextant/rotary.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr Index kTokens = 3, kHeads = 2, kDim = 8;
constexpr Index kHuge = std::numeric_limits<Index>::max();

class RotaryViews : public testing::Test {
 protected:
  // Both the fast and the plain version refuse, on both sides.
  void expect_refused(std::string_view why, const HeadsView& in, const HeadsView& out,
                      const ApplyOptions& options = {}) {
    for (const auto apply :
         {apply_to_queries, apply_to_keys, apply_to_queries_plain, apply_to_keys_plain})
      expect_error(ErrorCode::kUsage, why, [&] { apply(turns_, in, out, options); });
  }
  // Broken as `in`, as `out`, and as both.
  void expect_refused_anywhere(std::string_view why,
                               const std::function<void(HeadsView&)>& breaks) {
    HeadsView broken = a_;
    breaks(broken);
    expect_refused(why, broken, broken);
    expect_refused("in", broken, b_);
    expect_refused("out", b_, broken);
  }

  Turns turns_ = Rotary("rope", kDim).range(0, kTokens);
  std::vector<float> first_ = std::vector<float>(4 * kTokens * kHeads * kDim);
  std::vector<float> second_ = first_;
  HeadsView a_ = token_major(first_.data(), kTokens, kHeads, kDim);
  HeadsView b_ = token_major(second_.data(), kTokens, kHeads, kDim);
};

TEST_F(RotaryViews, NullAndMisalignedDataAreRefused) {
  expect_refused_anywhere("null", [](HeadsView& view) { view.data = nullptr; });
  expect_refused_anywhere(
      "aligned to 4", [](HeadsView& view) { view.data = static_cast<std::byte*>(view.data) + 2; });
  HeadsView half = a_;
  half.dtype = Dtype::kF16;
  half.data = static_cast<std::byte*>(half.data) + 1;
  expect_refused("aligned to 2", half, half);
}

TEST_F(RotaryViews, DoublesAreRefused) {
  expect_refused_anywhere("dtype must be f32, f16 or bf16 but is f64",
                          [](HeadsView& view) { view.dtype = Dtype::kF64; });
}

TEST_F(RotaryViews, SizesThatDoNotFitAreRefused) {
  expect_refused_anywhere("tokens", [](HeadsView& view) { ++view.tokens; });
  expect_refused_anywhere("tokens", [](HeadsView& view) { view.tokens = -1; });
  expect_refused_anywhere("dim", [](HeadsView& view) { view.dim = kDim - 1; });
  expect_refused_anywhere("heads", [](HeadsView& view) { view.heads = -1; });
  HeadsView fewer = b_;
  fewer.heads = 1;
  expect_refused("2 heads", a_, fewer);
  HeadsView shorter = b_;
  shorter.dtype = Dtype::kBF16;
  expect_refused("dtype must be f32, that of in", a_, shorter);
}

TEST_F(RotaryViews, StridesUnderWhichValuesOverlapAreRefused) {
  expect_refused_anywhere("apart", [](HeadsView& view) { view.head_stride = kDim - 1; });
  expect_refused_anywhere("apart", [](HeadsView& view) { view.head_stride = 0; });
  expect_refused_anywhere("apart", [](HeadsView& view) { view.token_stride = 0; });
  expect_refused_anywhere("apart", [](HeadsView& view) { view.token_stride = kDim * 2 - 1; });
  expect_refused_anywhere("negative", [](HeadsView& view) { view.head_stride = -kDim; });
  expect_refused_anywhere("negative", [](HeadsView& view) { view.token_stride = -kDim; });
}

TEST_F(RotaryViews, StridesThatOverflowAreRefused) {
  expect_refused_anywhere("inside the memory", [](HeadsView& view) { view.token_stride = kHuge; });
  expect_refused_anywhere("inside the memory",
                          [](HeadsView& view) { view.head_stride = kHuge / 2; });
  expect_refused_anywhere("inside the memory", [](HeadsView& view) { view.heads = kHuge; });
  expect_error(ErrorCode::kUsage, "token_major",
               [&] { token_major(first_.data(), 1, kHuge, kDim); });
  expect_error(ErrorCode::kUsage, "head_major", [&] { head_major(first_.data(), kHuge, 1, kDim); });
  expect_error(ErrorCode::kUsage, "token_major", [&] { token_major(first_.data(), 1, -1, kDim); });
}

TEST_F(RotaryViews, ViewsThatOverlapInPartAreRefused) {
  for (const Index shift : {Index{1}, kDim, kHeads * kDim, kTokens * kHeads * kDim - 1}) {
    HeadsView moved = a_;
    moved.data = first_.data() + shift;
    expect_refused("not overlap", a_, moved);
    expect_refused("not overlap", moved, a_);
  }
  HeadsView wider = a_;
  wider.token_stride *= 2;
  expect_refused("not overlap", a_, wider);
}

TEST_F(RotaryViews, PartsOfOneBufferThatDoNotMeetAreTaken) {
  // Packed projections: the queries of a token, then its keys.
  HeadsView q = a_, k = a_;
  q.token_stride = k.token_stride = 2 * kHeads * kDim;
  k.data = first_.data() + kHeads * kDim;
  first_[kHeads * kDim + 2 * kHeads * kDim] = 7.0f;  // key 0 of token 1
  std::fill(first_.begin(), first_.begin() + kHeads * kDim, 1.0f);
  apply_to_queries(turns_, q, k);
  EXPECT_EQ(first_[kHeads * kDim], 1.0f);  // a copy of token 0, which does not turn
  EXPECT_EQ(first_[3 * kHeads * kDim], 0.0f);
  k.data = first_.data() + kHeads * kDim - 1;
  expect_refused("not overlap", q, k);
  k.data = first_.data() + kHeads * kDim + 1;
  expect_refused("not overlap", q, k);
}

// One of the three of [tokens, heads, 3, dim].
HeadsView third_of(std::vector<float>& packed, Index third) {
  return {.data = packed.data() + third * kDim,
          .tokens = kTokens,
          .heads = kHeads,
          .dim = kDim,
          .token_stride = kHeads * 3 * kDim,
          .head_stride = 3 * kDim};
}

// What the kernel makes of values that count from 0, in a layout that nobody doubts.
std::vector<float> turned_counting(const Turns& turns) {
  std::vector<float> values(kTokens * kHeads * kDim);
  std::iota(values.begin(), values.end(), 0.0f);
  const HeadsView view = token_major(values.data(), kTokens, kHeads, kDim);
  apply_to_queries(turns, view, view);
  return values;
}

TEST_F(RotaryViews, ThirdsOfPackedHeadsAreTakenInAndOutOfPlace) {
  const std::vector<float> expected = turned_counting(turns_);
  for (const Index to : {0, 1, 2}) {
    std::vector<float> packed(kTokens * kHeads * 3 * kDim, -1.0f);
    for (Index head = 0; head < kTokens * kHeads; ++head)
      std::iota(packed.begin() + head * 3 * kDim, packed.begin() + head * 3 * kDim + kDim,
                static_cast<float>(head * kDim));
    const std::vector<float> before = packed;
    apply_to_queries(turns_, third_of(packed, 0), third_of(packed, to));
    for (Index at = 0; at < static_cast<Index>(packed.size()); ++at) {
      const Index head = at / (3 * kDim), third = at / kDim % 3;
      EXPECT_EQ(packed[static_cast<std::size_t>(at)],
                third == to ? expected[static_cast<std::size_t>(head * kDim + at % kDim)]
                            : before[static_cast<std::size_t>(at)]);
    }
    HeadsView moved = third_of(packed, to);
    moved.data = static_cast<float*>(moved.data) + 1;
    expect_refused("not overlap", third_of(packed, to), moved);
  }
}

TEST_F(RotaryViews, StridesOfSingleHeadsAndTokensDoNotCount) {
  // The one key of multi-query attention, broadcast along the axis of its heads.
  for (const Index stride : {Index{0}, Index{-5}, kHuge}) {
    HeadsView key = a_;
    key.heads = 1;
    HeadsView odd = key;
    odd.head_stride = stride;
    std::ranges::fill(first_, 0.0f);
    const std::size_t token_1 = kHeads * kDim;
    first_[token_1] = 1.0f;
    apply_to_keys(turns_, key, odd);
    EXPECT_NEAR(first_[token_1], std::cos(1.0f), 2e-7f);
    HeadsView beside = odd;
    beside.data = first_.data() + kDim;  // in the gap to the next token
    apply_to_keys(turns_, key, beside);
    EXPECT_NEAR(first_[token_1], std::cos(1.0f), 2e-7f);
    EXPECT_NEAR(first_[token_1 + kDim], std::cos(2.0f), 4e-7f);
    beside.data = first_.data() + kDim - 1;
    expect_refused("not overlap", key, beside);
  }
}

// Whether two views of floats share a byte, one value after the other.
bool meet_by_brute_force(const HeadsView& a, const HeadsView& b) {
  std::set<const float*> seen;
  const auto each = [](const HeadsView& view, const auto& work) {
    for (Index n = 0; n < view.tokens; ++n)
      for (Index h = 0; h < view.heads; ++h)
        for (Index i = 0; i < view.dim; ++i)
          work(static_cast<const float*>(view.data) + n * view.token_stride + h * view.head_stride +
               i);
  };
  each(a, [&](const float* at) { seen.insert(at); });
  bool met = false;
  each(b, [&](const float* at) { met = met || seen.contains(at); });
  return met;
}

TEST_F(RotaryViews, ApartIsWhatBruteForceFindsWhereStridesAreEqualAndNest) {
  std::vector<float> memory(4096);
  const Rng rng(20240611, 1);
  std::uint64_t at = 0;
  const auto draw = [&](Index most) {
    return static_cast<Index>(rng.at(at++) % static_cast<std::uint64_t>(most + 1));
  };
  Index apart = 0, met = 0;
  for (int round = 0; round < 20000; ++round) {
    HeadsView a{.data = memory.data() + draw(60),
                .tokens = 1 + draw(3),
                .heads = 1 + draw(3),
                .dim = 1 + draw(3)};
    HeadsView b{.data = memory.data() + draw(60),
                .tokens = 1 + draw(3),
                .heads = 1 + draw(3),
                .dim = 1 + draw(3)};
    const Index inner = 4 + draw(8), outer = 3 * inner + 4 + draw(20);
    a.head_stride = b.head_stride = inner;
    a.token_stride = b.token_stride = outer;
    if (round % 2 == 0) {
      std::swap(a.head_stride, a.token_stride);
      std::swap(b.head_stride, b.token_stride);
    }
    const bool meets = meet_by_brute_force(a, b);
    ASSERT_EQ(views_apart(a, b), !meets) << round;
    ASSERT_EQ(views_apart(b, a), !meets) << round;
    ++(meets ? met : apart);
  }
  EXPECT_GT(met, 2000);
  EXPECT_GT(apart, 2000);
}

TEST_F(RotaryViews, ApartIsNeverSaidOfViewsThatMeet) {
  std::vector<float> memory(4096);
  const Rng rng(20240611, 2);
  std::uint64_t at = 0;
  const auto draw = [&](Index most) {
    return static_cast<Index>(rng.at(at++) % static_cast<std::uint64_t>(most + 1));
  };
  for (int round = 0; round < 20000; ++round) {
    const auto view = [&] {
      return HeadsView{.data = memory.data() + draw(60),
                       .tokens = draw(3),
                       .heads = draw(3),
                       .dim = draw(3),
                       .token_stride = draw(12),
                       .head_stride = draw(12)};
    };
    const HeadsView a = view(), b = view();
    ASSERT_FALSE(views_apart(a, b) && meet_by_brute_force(a, b)) << round;
  }
  HeadsView wild = a_;
  wild.token_stride = kHuge;
  EXPECT_FALSE(views_apart(wild, b_));
  EXPECT_FALSE(views_apart(b_, wild));
}

TEST_F(RotaryViews, ThreadsArePositive) {
  expect_refused("threads", a_, a_, {.threads = 0});
  expect_refused("threads", a_, a_, {.threads = -3});
}

TEST_F(RotaryViews, NothingToDoIsDone) {
  const Turns none = Rotary("rope", kDim).range(0, 0);
  const HeadsView empty{.dim = kDim};
  apply_to_queries(none, empty, empty);
  HeadsView no_heads = a_;
  no_heads.heads = 0;
  no_heads.data = nullptr;
  apply_to_keys(turns_, no_heads, no_heads);
}

}  // namespace
}  // namespace sextant
