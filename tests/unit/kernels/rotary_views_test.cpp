// SPDX-License-Identifier: Apache-2.0
// Bad arguments of the kernels: one error that names the argument, never a crash.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <vector>

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
  expect_refused_anywhere("overlap", [](HeadsView& view) { view.token_stride = kDim * 2 - 1; });
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
