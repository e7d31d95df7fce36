// SPDX-License-Identifier: Apache-2.0
#include "sextant/rotary.h"

#include "c_api/boundary.h"

struct sextant_rotary {
  sextant::Rotary value;
};

struct sextant_turns {
  sextant::Turns value;
};

namespace sextant::c_api {
namespace {

HeadsView view_of(const sextant_heads_view& view) {
  return {.data = view.data,
          .dtype = dtype_of(view.dtype),
          .tokens = view.tokens,
          .heads = view.heads,
          .dim = view.dim,
          .token_stride = view.token_stride,
          .head_stride = view.head_stride};
}

using Apply = void (*)(const Turns&, const HeadsView&, const HeadsView&, const ApplyOptions&);

sextant_status apply(Apply apply_to, const sextant_turns* turns, const sextant_heads_view* in,
                     const sextant_heads_view* out, int32_t backward, int64_t threads) {
  return guarded([&] {
    const Turns& values = deref(turns, "turns").value;
    const HeadsView from = view_of(deref(in, "in")), to = view_of(deref(out, "out"));
    require(backward == 0 || backward == 1, "backward", "must be 0 or 1 but is {}", backward);
    check_threads(threads);
    apply_to(values, from, to, {.backward = backward == 1, .threads = threads});
  });
}

}  // namespace
}  // namespace sextant::c_api

using namespace sextant::c_api;

sextant_status sextant_rotary_make(const char* spec, int64_t head_dim, sextant_rotary** made) {
  return guarded_make(made, [&] { return sextant::Rotary(&deref(spec, "spec"), head_dim); });
}

sextant_status sextant_rotary_between(const sextant_rotary* from, const sextant_rotary* to,
                                      sextant_rotary** made) {
  return guarded_make(made, [&] {
    return sextant::Rotary::between(deref(from, "from").value, deref(to, "to").value);
  });
}

sextant_status sextant_rotary_axes(const sextant_rotary* rotary, int64_t* axes) {
  return guarded([&] {
    const sextant::Rotary& rule = deref(rotary, "rotary").value;
    deref(axes, "axes") = rule.axes();
  });
}

void sextant_rotary_free(sextant_rotary* rotary) { delete rotary; }

sextant_status sextant_turns_at(const sextant_rotary* rotary, const int64_t* positions,
                                int64_t tokens, int64_t axes, int64_t origin,
                                sextant_turns** made) {
  return guarded_make(made, [&] {
    const sextant::Rotary& rule = deref(rotary, "rotary").value;
    deref(positions, "positions");
    sextant::require(axes == 1 || axes == rule.axes(), "axes", "must be 1 or {} but is {}",
                     rule.axes(), axes);
    sextant::require(tokens >= 0 && tokens <= sextant::kPositionEnd, "tokens",
                     "must be 0 to {} but is {}", sextant::kPositionEnd, tokens);
    const std::span numbers(positions, static_cast<std::size_t>(tokens * axes));
    return axes == 1 ? rule.at(numbers, origin) : rule.at_points(numbers, origin);
  });
}

sextant_status sextant_turns_range(const sextant_rotary* rotary, int64_t first, int64_t count,
                                   int64_t origin, sextant_turns** made) {
  return guarded_make(made,
                      [&] { return deref(rotary, "rotary").value.range(first, count, origin); });
}

void sextant_turns_free(sextant_turns* turns) { delete turns; }

sextant_status sextant_apply_to_queries(const sextant_turns* turns, const sextant_heads_view* in,
                                        const sextant_heads_view* out, int32_t backward,
                                        int64_t threads) {
  return apply(sextant::apply_to_queries, turns, in, out, backward, threads);
}

sextant_status sextant_apply_to_keys(const sextant_turns* turns, const sextant_heads_view* in,
                                     const sextant_heads_view* out, int32_t backward,
                                     int64_t threads) {
  return apply(sextant::apply_to_keys, turns, in, out, backward, threads);
}
