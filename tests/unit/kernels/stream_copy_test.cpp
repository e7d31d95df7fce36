// SPDX-License-Identifier: Apache-2.0
#include "kernels/stream_copy.h"

#include <gtest/gtest.h>

#include <vector>

namespace sextant {
namespace {

TEST(StreamCopy, CopiesEveryByteAndNoOther) {
  constexpr std::size_t kRoom = 400;
  std::vector<std::byte> source(kRoom);
  for (std::size_t i = 0; i < kRoom; ++i) source[i] = static_cast<std::byte>(i * 37 + 1);
  for (std::size_t from = 0; from < 5; ++from) {
    for (std::size_t to = 0; to < 70; to += 3) {
      for (const std::size_t count : {0, 1, 15, 16, 17, 31, 64, 65, 200}) {
        std::vector<std::byte> target(kRoom, std::byte{0xEE});
        stream_copy(source.data() + from, count, target.data() + to);
        for (std::size_t i = 0; i < kRoom; ++i) {
          const bool inside = i >= to && i < to + count;
          ASSERT_EQ(target[i], inside ? source[from + i - to] : std::byte{0xEE}) << to << " " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace sextant
