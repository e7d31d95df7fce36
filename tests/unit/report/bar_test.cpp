// SPDX-License-Identifier: Apache-2.0
#include "report/bar.h"

#include <gtest/gtest.h>

namespace sextant {
namespace {

TEST(Bar, CountsColumnsAndEighths) {
  EXPECT_EQ(bar(0.5, 8, false), "####");
  EXPECT_EQ(bar(0.5, 4, true), "\xe2\x96\x88\xe2\x96\x88");
  EXPECT_EQ(bar(0.125, 1, true), "\xe2\x96\x8f");
  EXPECT_EQ(bar(0.875, 1, true), "\xe2\x96\x89");
}

TEST(Bar, StaysWithinItsColumns) {
  EXPECT_EQ(bar(7.0, 3, false), "###");
  EXPECT_EQ(bar(-1.0, 3, false), "");
}

}  // namespace
}  // namespace sextant
