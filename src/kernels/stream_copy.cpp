// SPDX-License-Identifier: Apache-2.0
// Compiled once per instruction set; the best one is chosen at run time.
#include "kernels/stream_copy.h"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/stream_copy.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sextant {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whole vectors to aligned addresses; the bytes before the first and after the last one by hand.
void stream_copy(const std::byte* from, std::size_t count, std::byte* to) {
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t width = hn::Lanes(d);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % width;
  std::size_t at = std::min(count, past == 0 ? 0 : width - past);
  std::copy_n(from, at, to);
  for (; at + width <= count; at += width) {
    hn::Stream(hn::LoadU(d, reinterpret_cast<const std::uint8_t*>(from + at)), d,
               reinterpret_cast<std::uint8_t*>(to + at));
  }
  std::copy_n(from + at, count - at, to + at);
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace sextant
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sextant {

HWY_EXPORT(stream_copy);

void stream_copy(const std::byte* from, std::size_t count, std::byte* to) {
  HWY_DYNAMIC_DISPATCH(stream_copy)(from, count, to);
}

void copy_part(const std::byte* from, std::size_t count, std::byte* to, std::size_t whole) {
  constexpr std::size_t kLargerThanCaches = std::size_t{64} << 20;
  if (whole >= kLargerThanCaches)
    stream_copy(from, count, to);
  else
    std::copy_n(from, count, to);
}

}  // namespace sextant
#endif
