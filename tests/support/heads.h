// SPDX-License-Identifier: Apache-2.0
// Heads of any type and layout for tests of kernels, read and written as doubles.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "base/rounding.h"
#include "sextant/rotary.h"

namespace sextant {

struct HeadSizes {
  Index tokens = 1;
  Index heads = 1;
  Index dim = 64;
};

// Owns its memory, with a margin before, between and behind heads where `padding` is not 0.
class Heads {
 public:
  Heads(Dtype dtype, const HeadSizes& sizes, Index padding = 0) : sizes_(sizes) {
    view_ = {.dtype = dtype,
             .tokens = sizes.tokens,
             .heads = sizes.heads,
             .dim = sizes.dim,
             .token_stride = sizes.heads * (sizes.dim + padding) + padding,
             .head_stride = sizes.dim + padding};
    const Index values = padding + sizes.tokens * view_.token_stride;
    bytes_.resize(static_cast<std::size_t>(values * bytes_per_value(dtype)));
    view_.data = bytes_.data() + padding * bytes_per_value(dtype);
  }
  Heads(const Heads& other) : Heads(other.view_.dtype, other.sizes_, other.padding()) {
    bytes_ = other.bytes_;
    view_.data = bytes_.data() + padding() * bytes_per_value(view_.dtype);
  }
  Heads& operator=(const Heads&) = delete;

  const HeadsView& view() const { return view_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

  // Normal numbers.
  void draw(std::uint64_t stream) {
    const Rng rng(20240607, stream);
    std::uint64_t at = 0;
    for_each([&](Index n, Index h, Index i) { set(n, h, i, rng.normal(at++)); });
  }

  double at(Index token, Index head, Index i) const {
    const Index place = offset(token, head, i);
    if (view_.dtype == Dtype::kF16)
      return from_half(static_cast<const std::uint16_t*>(view_.data)[place]);
    if (view_.dtype == Dtype::kBF16)
      return from_bfloat16(static_cast<const std::uint16_t*>(view_.data)[place]);
    return static_cast<double>(static_cast<const float*>(view_.data)[place]);
  }

  void set(Index token, Index head, Index i, double value) {
    const Index place = offset(token, head, i);
    if (view_.dtype == Dtype::kF16) {
      static_cast<std::uint16_t*>(view_.data)[place] = to_half(value);
    } else if (view_.dtype == Dtype::kBF16) {
      static_cast<std::uint16_t*>(view_.data)[place] = to_bfloat16(value);
    } else {
      static_cast<float*>(view_.data)[place] = static_cast<float>(value);
    }
  }

  template <typename Work>
  void for_each(const Work& work) const {
    for (Index n = 0; n < sizes_.tokens; ++n)
      for (Index h = 0; h < sizes_.heads; ++h)
        for (Index i = 0; i < sizes_.dim; ++i) work(n, h, i);
  }

 private:
  Index padding() const { return view_.head_stride - view_.dim; }
  Index offset(Index token, Index head, Index i) const {
    return token * view_.token_stride + head * view_.head_stride + i;
  }

  HeadSizes sizes_;
  HeadsView view_;
  std::vector<std::byte> bytes_;
};

}  // namespace sextant
