// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set; the best one is chosen at run time.
//
// The cosines and sines of a block of pairs stay in registers while all heads of a token pass by.
#include "kernels/rotary_apply.h"

#include "base/parallel.h"
#include "kernels/rotary_views.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rotary_apply.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// The values' types; needs Highway.
#include "kernels/rotary_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace sextant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The heads of one token, and the slots of one run of pairs.
template <class Lanes>
struct TokenRun {
  using Value = typename Lanes::Value;
  const Value* in;
  Value* out;
  Index in_stride, out_stride;  // from a head to the next
  Index heads;
  const float* cos;
  const float* sin;
  float sign;  // -1 for the transposed map
  Index x, y, step;
};

// turn(in, out) with the addresses of coordinate `place` of each head. Two heads at a time: the
// loop itself costs less.
template <class Lanes, class Turn>
HWY_INLINE void for_heads(const TokenRun<Lanes>& run, Index place, const Turn& turn) {
  const auto* in = run.in + place;
  auto* out = run.out + place;
  for (Index left = run.heads / 2; left > 0; --left) {
    turn(in, out);
    turn(in + run.in_stride, out + run.out_stride);
    in += 2 * run.in_stride;
    out += 2 * run.out_stride;
  }
  if (run.heads % 2 != 0) turn(in, out);
}

// (x, y) <- (x c - y s, x s + y c).
template <class Lanes, class D, class V = hn::Vec<D>>
HWY_INLINE void turn_apart(D d, V c, V s, const typename Lanes::Value* in_x,
                           const typename Lanes::Value* in_y, typename Lanes::Value* out_x,
                           typename Lanes::Value* out_y) {
  const V x = Lanes::load(d, in_x), y = Lanes::load(d, in_y);
  Lanes::store(d, hn::NegMulAdd(y, s, hn::Mul(x, c)), out_x);
  Lanes::store(d, hn::MulAdd(x, s, hn::Mul(y, c)), out_y);
}

// Pairs j .. j + 4 Lanes(d), x and y in stretches of their own.
template <class Lanes, class D>
HWY_INLINE void turn_four_apart(D d, const TokenRun<Lanes>& run, Index j) {
  const auto n = static_cast<Index>(hn::Lanes(d));
  const auto sign = hn::Set(d, run.sign);
  const auto c0 = hn::LoadU(d, run.cos + j), c1 = hn::LoadU(d, run.cos + j + n);
  const auto c2 = hn::LoadU(d, run.cos + j + 2 * n), c3 = hn::LoadU(d, run.cos + j + 3 * n);
  const auto s0 = hn::Mul(sign, hn::LoadU(d, run.sin + j));
  const auto s1 = hn::Mul(sign, hn::LoadU(d, run.sin + j + n));
  const auto s2 = hn::Mul(sign, hn::LoadU(d, run.sin + j + 2 * n));
  const auto s3 = hn::Mul(sign, hn::LoadU(d, run.sin + j + 3 * n));
  const Index to_y = run.y - run.x;
  for_heads(run, run.x + j, [&](const auto* in, auto* out) HWY_ATTR {
    turn_apart<Lanes>(d, c0, s0, in, in + to_y, out, out + to_y);
    turn_apart<Lanes>(d, c1, s1, in + n, in + to_y + n, out + n, out + to_y + n);
    turn_apart<Lanes>(d, c2, s2, in + 2 * n, in + to_y + 2 * n, out + 2 * n, out + to_y + 2 * n);
    turn_apart<Lanes>(d, c3, s3, in + 3 * n, in + to_y + 3 * n, out + 3 * n, out + to_y + 3 * n);
  });
}

// Pairs j .. j + Lanes(d). With one lane it serves every layout.
template <class Lanes, class D>
HWY_INLINE void turn_one_apart(D d, const TokenRun<Lanes>& run, Index j) {
  const auto c = hn::LoadU(d, run.cos + j);
  const auto s = hn::Mul(hn::Set(d, run.sign), hn::LoadU(d, run.sin + j));
  const Index x = run.x + j * run.step, y = run.y + j * run.step;
  for (Index head = 0; head < run.heads; ++head) {
    const Index from = head * run.in_stride, to = head * run.out_stride;
    turn_apart<Lanes>(d, c, s, run.in + from + x, run.in + from + y, run.out + to + x,
                      run.out + to + y);
  }
}

#if HWY_TARGET != HWY_SCALAR
// v holds pairs x0 y0 x1 y1 ..; c is c0 c0 c1 c1 .. and s is -s0 s0 -s1 s1 ..
template <class Lanes, class D, class V = hn::Vec<D>>
HWY_INLINE void turn_mixed(D d, V c, V s, const typename Lanes::Value* in,
                           typename Lanes::Value* out) {
  const V v = Lanes::load(d, in);
  Lanes::store(d, hn::MulAdd(v, c, hn::Mul(hn::Reverse2(d, v), s)), out);
}

// Doubled cosines and sines of pairs j .. j + Lanes(d), two vectors of each.
template <class D>
HWY_INLINE void double_turns(D d, const float* cos, const float* sin, float sign, float* c,
                             float* s) {
  const auto cosine = hn::LoadU(d, cos);
  const auto sine = hn::Mul(hn::Set(d, sign), hn::LoadU(d, sin));
  hn::StoreInterleaved2(cosine, cosine, d, c);
  hn::StoreInterleaved2(hn::Neg(sine), sine, d, s);
}

// Pairs j .. j + 2 Lanes(d), neighbours in memory.
template <class Lanes, class D>
HWY_INLINE void turn_four_mixed(D d, const TokenRun<Lanes>& run, Index j) {
  const auto n = static_cast<Index>(hn::Lanes(d));
  HWY_ALIGN float c[4 * hn::MaxLanes(d)], s[4 * hn::MaxLanes(d)];
  double_turns(d, run.cos + j, run.sin + j, run.sign, c, s);
  double_turns(d, run.cos + j + n, run.sin + j + n, run.sign, c + 2 * n, s + 2 * n);
  const auto c0 = hn::Load(d, c), c1 = hn::Load(d, c + n);
  const auto c2 = hn::Load(d, c + 2 * n), c3 = hn::Load(d, c + 3 * n);
  const auto s0 = hn::Load(d, s), s1 = hn::Load(d, s + n);
  const auto s2 = hn::Load(d, s + 2 * n), s3 = hn::Load(d, s + 3 * n);
  for_heads(run, run.x + 2 * j, [&](const auto* in, auto* out) HWY_ATTR {
    turn_mixed<Lanes>(d, c0, s0, in, out);
    turn_mixed<Lanes>(d, c1, s1, in + n, out + n);
    turn_mixed<Lanes>(d, c2, s2, in + 2 * n, out + 2 * n);
    turn_mixed<Lanes>(d, c3, s3, in + 3 * n, out + 3 * n);
  });
}
#endif

// All pairs of a run at one token: whole blocks first, then vectors, then single pairs.
template <class Lanes>
HWY_INLINE void turn_token(const TokenRun<Lanes>& run, Index count) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> single;
  const auto n = static_cast<Index>(hn::Lanes(d));
  Index j = 0;
  if (run.step == 1) {
    for (; j + 4 * n <= count; j += 4 * n) turn_four_apart(d, run, j);
    for (; j + n <= count; j += n) turn_one_apart(d, run, j);
  }
#if HWY_TARGET != HWY_SCALAR
  if (run.step == 2) {
    for (; j + 2 * n <= count; j += 2 * n) turn_four_mixed(d, run, j);
  }
#endif
  for (; j < count; ++j) turn_one_apart(single, run, j);
}

template <class Lanes>
void turn_tokens(const TurnJob& job, Index first, Index last) {
  using Value = typename Lanes::Value;
  const auto slots = static_cast<Index>(job.values.rule->slots());
  for (Index token = first; token < last; ++token) {
    const float* row = job.values.row(job.side, token);
    for (const PairRun& pairs : job.values.rule->pairs) {
      turn_token<Lanes>({.in = static_cast<const Value*>(job.in.data) + token * job.in.token_stride,
                         .out = static_cast<Value*>(job.out.data) + token * job.out.token_stride,
                         .in_stride = job.in.head_stride,
                         .out_stride = job.out.head_stride,
                         .heads = job.in.heads,
                         .cos = row + pairs.slot,
                         .sin = row + slots + pairs.slot,
                         .sign = job.backward ? -1.0f : 1.0f,
                         .x = pairs.x,
                         .y = pairs.y,
                         .step = pairs.step},
                        pairs.count);
    }
  }
}

void turn_pairs(const TurnJob& job, Index first, Index last) {
  if (job.in.dtype == Dtype::kF16) return turn_tokens<HalfLanes>(job, first, last);
  if (job.in.dtype == Dtype::kBF16) return turn_tokens<Bfloat16Lanes>(job, first, last);
  turn_tokens<FloatLanes>(job, first, last);
}

}  // namespace HWY_NAMESPACE
}  // namespace sextant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sextant {
namespace {

HWY_EXPORT(turn_pairs);

void apply(const Turns& turns, Side side, const HeadsView& in, const HeadsView& out,
           const ApplyOptions& options) {
  if (!check_views(turns, in, out, options)) return;
  const TurnJob job{TurnsAccess::values(turns), in, out, side, options.backward};
  parallel_for(in.tokens, options.threads, [&](Index first, Index last) {
    HWY_DYNAMIC_DISPATCH(turn_pairs)(job, first, last);
    apply_chains(job, first, last);
    copy_still(job, first, last);
  });
}

}  // namespace

void apply_to_queries(const Turns& turns, const HeadsView& in, const HeadsView& out,
                      const ApplyOptions& options) {
  apply(turns, Side::kQuery, in, out, options);
}

void apply_to_keys(const Turns& turns, const HeadsView& in, const HeadsView& out,
                   const ApplyOptions& options) {
  apply(turns, Side::kKey, in, out, options);
}

}  // namespace sextant
#endif
