// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set; the best one is chosen at run time.
#include "kernels/rotary_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rotary_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sextant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Stores `value` rounded to float. True lanes of the result: float(value - error) and
// float(value + error) are one number, so every value between them rounds to it (Ziv's test).
template <class D, class V = hn::Vec<D>>
HWY_INLINE auto store_rounded(D, V value, V error, float* out) {
  const hn::Rebind<float, D> df;
  const auto above = hn::DemoteTo(df, hn::Add(value, error));
  hn::StoreU(above, df, out);
  return hn::Eq(hn::DemoteTo(df, hn::Sub(value, error)), above);
}

// Pairs j .. j + Lanes(d) of one row.
template <bool kCos, bool kSin, class D>
HWY_INLINE void fill_lanes(D d, const RotaryRows& rows, std::size_t row, std::size_t j,
                           const std::function<void(Index, Index)>& open) {
  const hn::Rebind<float, D> df;
  const std::size_t step = row * rows.start_cos.size() + j;
  const auto a_cos = hn::LoadU(d, rows.start_cos.data() + j);
  const auto a_sin = hn::LoadU(d, rows.start_sin.data() + j);
  const auto b_cos = hn::LoadU(d, rows.step_cos.data() + step);
  const auto b_sin = hn::LoadU(d, rows.step_sin.data() + step);
  const Index at = static_cast<Index>(row) * rows.stride + static_cast<Index>(j);

  auto settled = hn::Eq(hn::Zero(df), hn::Zero(df));
  if constexpr (kCos) {
    const auto value = hn::Sub(hn::Mul(a_cos, b_cos), hn::Mul(a_sin, b_sin));
    const auto error = hn::LoadU(d, rows.cos_error.data() + j);
    settled = store_rounded(d, value, error, rows.cos + at);
  }
  if constexpr (kSin) {
    const auto value = hn::Add(hn::Mul(a_sin, b_cos), hn::Mul(a_cos, b_sin));
    const auto error = hn::LoadU(d, rows.sin_error.data() + j);
    settled = hn::And(settled, store_rounded(d, value, error, rows.sin + at));
  }
  if (HWY_LIKELY(hn::AllTrue(df, settled))) return;

  HWY_ALIGN float flag[hn::MaxLanes(df)];
  hn::StoreU(hn::IfThenElseZero(settled, hn::Set(df, 1.0f)), df, flag);
  for (std::size_t lane = 0; lane < hn::Lanes(df); ++lane) {
    if (flag[lane] == 0.0f) open(static_cast<Index>(row), static_cast<Index>(j + lane));
  }
}

// Row by row: a start that stayed in registers for a whole column would save two loads, but
// stores down the columns keep the memory from running ahead and cost a third more time.
//
// Takes a copy: no store can reach it, so the pointers in it stay in registers.
template <bool kCos, bool kSin>
void fill_rows(const RotaryRows rows, const std::function<void(Index, Index)>& open) {
  const hn::ScalableTag<double> wide;
  const hn::CappedTag<double, 1> single;
  const std::size_t pairs = rows.start_cos.size();
  const std::size_t count = rows.step_cos.size() / pairs;
  for (std::size_t row = 0; row < count; ++row) {
    std::size_t j = 0;
    for (; j + hn::Lanes(wide) <= pairs; j += hn::Lanes(wide)) {
      fill_lanes<kCos, kSin>(wide, rows, row, j, open);
    }
    for (; j < pairs; ++j) fill_lanes<kCos, kSin>(single, rows, row, j, open);
  }
}

void fill_rotary_rows(const RotaryRows& rows, const std::function<void(Index, Index)>& open) {
  if (rows.sin == nullptr) return fill_rows<true, false>(rows, open);
  if (rows.cos == nullptr) return fill_rows<false, true>(rows, open);
  fill_rows<true, true>(rows, open);
}

template <class D>
HWY_INLINE void rotate_lanes(D d, double* cos, double* sin, const double* by_cos,
                             const double* by_sin) {
  const auto a_cos = hn::LoadU(d, cos), a_sin = hn::LoadU(d, sin);
  const auto b_cos = hn::LoadU(d, by_cos), b_sin = hn::LoadU(d, by_sin);
  hn::StoreU(hn::Sub(hn::Mul(a_cos, b_cos), hn::Mul(a_sin, b_sin)), d, cos);
  hn::StoreU(hn::Add(hn::Mul(a_sin, b_cos), hn::Mul(a_cos, b_sin)), d, sin);
}

void rotate_pairs(double* cos, double* sin, std::size_t pairs, const double* by_cos,
                  const double* by_sin) {
  const hn::ScalableTag<double> wide;
  const hn::CappedTag<double, 1> single;
  std::size_t j = 0;
  for (; j + hn::Lanes(wide) <= pairs; j += hn::Lanes(wide)) {
    rotate_lanes(wide, cos + j, sin + j, by_cos + j, by_sin + j);
  }
  for (; j < pairs; ++j) rotate_lanes(single, cos + j, sin + j, by_cos + j, by_sin + j);
}

}  // namespace HWY_NAMESPACE
}  // namespace sextant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sextant {

HWY_EXPORT(fill_rotary_rows);
HWY_EXPORT(rotate_pairs);

void fill_rotary_rows(const RotaryRows& rows, const std::function<void(Index, Index)>& open) {
  HWY_DYNAMIC_DISPATCH(fill_rotary_rows)(rows, open);
}

void rotate_pairs(std::span<double> cos, std::span<double> sin, const double* by_cos,
                  const double* by_sin) {
  HWY_DYNAMIC_DISPATCH(rotate_pairs)(cos.data(), sin.data(), cos.size(), by_cos, by_sin);
}

}  // namespace sextant
#endif
