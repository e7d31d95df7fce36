// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary_views.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

#include "base/check.h"

namespace sextant {
namespace {

std::uintptr_t address(const HeadsView& view) {
  return reinterpret_cast<std::uintptr_t>(view.data);
}

// Steps `first` to `last` of one size, in bytes: those of a view, from 0 on, or what steps of two
// views differ by. The stride of an axis without steps is 0: nobody takes it.
struct Axis {
  Index stride = 0;
  Index first = 0, last = 0;

  Index farthest() const { return std::max(-first, last); }
  bool moves() const { return farthest() > 0; }
  bool has(Index step) const { return step >= first && step <= last; }
};

// Tokens, heads and bytes of a head as three nested loops, the tighter one of two inside.
struct Nest {
  Axis outer, inner, bytes;

  // From one step of the outer loop to another where none of their bytes meet. REQUIRES: it does
  // not overflow.
  Index inner_span() const { return inner.farthest() * inner.stride + bytes.farthest() + 1; }
};
Nest nest_of(const Axis& tokens, const Axis& heads, const Axis& bytes) {
  const bool tokens_inside = !heads.moves() || (tokens.moves() && tokens.stride < heads.stride);
  return tokens_inside ? Nest{heads, tokens, bytes} : Nest{tokens, heads, bytes};
}
bool nests(const Nest& nest) {
  return (!nest.inner.moves() || nest.inner.stride > nest.bytes.farthest()) &&
         (!nest.outer.moves() || nest.outer.stride >= nest.inner_span());
}

// A view in bytes, `size` of them from the first to behind the last.
struct Reach {
  Axis tokens, heads, bytes;
  Index size = 0;
};
// Nothing where it does not fit the address space. REQUIRES: the view has tokens, heads and values.
std::optional<Reach> reach_of(const HeadsView& view) {
  const Index value = bytes_per_value(view.dtype);
  Index tokens = 0, heads = 0;
  Reach reach;
  reach.tokens.last = view.tokens - 1;
  reach.heads.last = view.heads - 1;
  const auto fits = [&](Axis& axis, Index stride, Index& bytes) {
    return !axis.moves() || (!__builtin_mul_overflow(stride, value, &axis.stride) &&
                             !__builtin_mul_overflow(axis.last, axis.stride, &bytes));
  };
  if (!fits(reach.tokens, view.token_stride, tokens) ||
      !fits(reach.heads, view.head_stride, heads) ||
      __builtin_mul_overflow(view.dim, value, &reach.size))
    return std::nullopt;
  reach.bytes = {1, 0, reach.size - 1};
  if (__builtin_add_overflow(reach.size, tokens, &reach.size) ||
      __builtin_add_overflow(reach.size, heads, &reach.size) ||
      reach.size > std::numeric_limits<Index>::max() / 2 ||  // so that two of them add up
      static_cast<std::uintptr_t>(reach.size) >
          std::numeric_limits<std::uintptr_t>::max() - address(view))
    return std::nullopt;
  return reach;
}

bool has_negative_stride(const HeadsView& view) {
  return (view.tokens > 1 && view.token_stride < 0) || (view.heads > 1 && view.head_stride < 0);
}

void check_view(const HeadsView& view, std::string_view side) {
  require(view.data != nullptr, side, "data must not be null");
  require(address(view) % static_cast<std::uintptr_t>(bytes_per_value(view.dtype)) == 0, side,
          "data must be aligned to {} bytes", bytes_per_value(view.dtype));
  require(!has_negative_stride(view), side,
          "strides must not be negative but are {} for tokens and {} for heads", view.token_stride,
          view.head_stride);
  const std::optional<Reach> reach = reach_of(view);
  require(reach.has_value(), side, "strides {} and {} must keep values inside the memory",
          view.token_stride, view.head_stride);
  require(nests(nest_of(reach->tokens, reach->heads, reach->bytes)), side,
          "strides must keep heads of {} values apart but are {} for tokens and {} for heads",
          view.dim, view.token_stride, view.head_stride);
}

bool same_view(const HeadsView& a, const HeadsView& b) {
  return a.data == b.data && (a.tokens == 1 || a.token_stride == b.token_stride) &&
         (a.heads == 1 || a.head_stride == b.head_stride);
}

// What steps of two views differ by. Nothing where they are not of one size.
std::optional<Axis> difference(const Axis& a, const Axis& b) {
  if (a.moves() && b.moves() && a.stride != b.stride) return std::nullopt;
  return Axis{std::max(a.stride, b.stride), a.first - b.last, a.last - b.first};
}

// Whether steps of the three axes add up to `distance`. REQUIRES: they nest, so that the axes
// inside another cover less than one of its steps: two of them come into question.
bool reaches(const Nest& nest, Index distance) {
  const auto along = [](const Axis& axis, Index left, const auto& inside) {
    if (!axis.moves()) return inside(left);
    const Index step = left / axis.stride, rest = left % axis.stride;
    const Index next = rest < 0 ? -1 : 1;
    return (axis.has(step) && inside(rest)) ||
           (axis.has(step + next) && inside(rest - next * axis.stride));
  };
  return along(nest.outer, distance, [&](Index rest) {
    return along(nest.inner, rest, [&](Index last) { return nest.bytes.has(last); });
  });
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

bool views_apart(const HeadsView& a, const HeadsView& b) {
  for (const HeadsView* view : {&a, &b}) {
    if (view->tokens == 0 || view->heads == 0 || view->dim == 0) return true;
    if (view->tokens < 0 || view->heads < 0 || view->dim < 0 || has_negative_stride(*view))
      return false;
  }
  const std::optional<Reach> of_a = reach_of(a), of_b = reach_of(b);
  if (!of_a || !of_b) return false;
  if (address(a) + static_cast<std::uintptr_t>(of_a->size) <= address(b)) return true;
  if (address(b) + static_cast<std::uintptr_t>(of_b->size) <= address(a)) return true;

  const std::optional<Axis> tokens = difference(of_a->tokens, of_b->tokens);
  const std::optional<Axis> heads = difference(of_a->heads, of_b->heads);
  if (!tokens || !heads) return false;
  const Nest nest = nest_of(*tokens, *heads, *difference(of_a->bytes, of_b->bytes));
  // One begins inside the other: the distance fits.
  return nests(nest) && !reaches(nest, static_cast<Index>(address(b) - address(a)));
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
  require(same_view(in, out) || views_apart(in, out), "out",
          "must be in to the letter or not overlap it");
  return true;
}

}  // namespace sextant
