// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary_views.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/check.h"

namespace sextant {
namespace {

std::uintptr_t address(const HeadsView& view) {
  return reinterpret_cast<std::uintptr_t>(view.data);
}

// Tokens and heads as two nested loops, the tighter one inside.
struct Nest {
  Index inner_stride = 0, inner_count = 1;
  Index outer_stride = 0, outer_count = 1;
};
Nest nest_of(const HeadsView& view) {
  Nest nest{view.head_stride, view.heads, view.token_stride, view.tokens};
  const bool swapped = nest.outer_count > 1 && nest.inner_count > 1
                           ? nest.outer_stride < nest.inner_stride
                           : nest.outer_count > 1;
  if (swapped) {
    std::swap(nest.inner_stride, nest.outer_stride);
    std::swap(nest.inner_count, nest.outer_count);
  }
  return nest;
}

// Elements from the first to behind the last of the inner loop. REQUIRES: it does not overflow.
Index inner_span(const Nest& nest, Index dim) {
  return (nest.inner_count - 1) * nest.inner_stride + dim;
}

// Bytes from the first to behind the last, if they fit the address space.
Index bytes_of(const HeadsView& view, std::string_view side) {
  Index tokens = 0, heads = 0, bytes = 0;
  const bool overflows = __builtin_mul_overflow(view.tokens - 1, view.token_stride, &tokens) ||
                         __builtin_mul_overflow(view.heads - 1, view.head_stride, &heads) ||
                         __builtin_add_overflow(tokens, heads, &bytes) ||
                         __builtin_add_overflow(bytes, view.dim, &bytes) ||
                         __builtin_mul_overflow(bytes, bytes_per_value(view.dtype), &bytes) ||
                         static_cast<std::uintptr_t>(bytes) >
                             std::numeric_limits<std::uintptr_t>::max() - address(view);
  require(!overflows, side, "strides {} and {} must keep values inside the memory",
          view.token_stride, view.head_stride);
  return bytes;
}

void check_view(const HeadsView& view, std::string_view side) {
  require(view.data != nullptr, side, "data must not be null");
  require(address(view) % static_cast<std::uintptr_t>(bytes_per_value(view.dtype)) == 0, side,
          "data must be aligned to {} bytes", bytes_per_value(view.dtype));
  require(view.token_stride >= 0, side, "token_stride must not be negative but is {}",
          view.token_stride);
  require(view.head_stride >= 0, side, "head_stride must not be negative but is {}",
          view.head_stride);
  bytes_of(view, side);
  const Nest nest = nest_of(view);
  require(nest.inner_count == 1 || nest.inner_stride >= view.dim, side,
          "strides must keep heads of {} values apart but one is {}", view.dim, nest.inner_stride);
  require(nest.outer_count == 1 || nest.outer_stride >= inner_span(nest, view.dim), side,
          "strides must not let values overlap but are {} for tokens and {} for heads",
          view.token_stride, view.head_stride);
}

bool same_view(const HeadsView& a, const HeadsView& b) {
  return a.data == b.data && a.token_stride == b.token_stride && a.head_stride == b.head_stride;
}

// Two parts of one buffer, such as q and k of packed projections: equal strides, and the inner
// loops of one lie between those of the other.
bool side_by_side(const HeadsView& a, const HeadsView& b) {
  if (a.token_stride != b.token_stride || a.head_stride != b.head_stride) return false;
  const Nest nest = nest_of(a);
  const Index width = bytes_per_value(a.dtype);
  const auto apart =
      static_cast<Index>(std::max(address(a), address(b)) - std::min(address(a), address(b)));
  if (apart % width != 0 || nest.outer_count == 1) return false;
  const Index offset = apart / width % nest.outer_stride;
  const Index span = inner_span(nest, a.dim);
  return offset >= span && nest.outer_stride - offset >= span;
}

bool disjoint(const HeadsView& a, const HeadsView& b) {
  const auto end = [](const HeadsView& view, std::string_view side) {
    return address(view) + static_cast<std::uintptr_t>(bytes_of(view, side));
  };
  return end(a, "in") <= address(b) || end(b, "out") <= address(a) || side_by_side(a, b);
}

Index product(Index a, Index b, std::string_view where) {
  Index result = 0;
  require(a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, &result), where,
          "sizes must not be negative nor overflow but are {} and {}", a, b);
  return result;
}

}  // namespace

HeadsView token_major(float* data, Index tokens, Index heads, Index dim) {
  return {.data = data,
          .tokens = tokens,
          .heads = heads,
          .dim = dim,
          .token_stride = product(heads, dim, "token_major"),
          .head_stride = dim};
}

HeadsView head_major(float* data, Index tokens, Index heads, Index dim) {
  return {.data = data,
          .tokens = tokens,
          .heads = heads,
          .dim = dim,
          .token_stride = dim,
          .head_stride = product(tokens, dim, "head_major")};
}

bool check_views(const Turns& turns, const HeadsView& in, const HeadsView& out,
                 const ApplyOptions& options) {
  require(options.threads >= 1, "threads", "must be at least 1 but got {}", options.threads);
  for (const auto& [view, side] : {std::pair{&in, "in"}, std::pair{&out, "out"}}) {
    require(view->dtype == Dtype::kF32 || view->dtype == Dtype::kF16 || view->dtype == Dtype::kBF16,
            side, "dtype must be f32, f16 or bf16 but is {}", name(view->dtype));
    require(view->tokens == turns.tokens(), side, "must have the {} tokens of the turns but has {}",
            turns.tokens(), view->tokens);
    require(view->dim == turns.dim(), side, "must have the dim {} of the rule but has {}",
            turns.dim(), view->dim);
    require(view->heads >= 0, side, "heads must not be negative but are {}", view->heads);
  }
  require(in.dtype == out.dtype, "out", "dtype must be {}, that of in, but is {}", name(in.dtype),
          name(out.dtype));
  require(in.heads == out.heads, "out", "must have {} heads, as in has, but has {}", in.heads,
          out.heads);
  if (in.tokens == 0 || in.heads == 0) return false;
  check_view(in, "in");
  check_view(out, "out");
  require(same_view(in, out) || disjoint(in, out), "out",
          "must be in to the letter or not overlap it");
  return true;
}

}  // namespace sextant
