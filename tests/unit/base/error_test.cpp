// SPDX-License-Identifier: Apache-2.0
#include "sextant/error.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

TEST(ExitStatus, FollowsTheDocumentedTable) {
  EXPECT_EQ(exit_status(ErrorCode::kUsage), 2);
  EXPECT_EQ(exit_status(ErrorCode::kMalformed), 3);
  EXPECT_EQ(exit_status(ErrorCode::kUnreadable), 4);
  EXPECT_EQ(exit_status(ErrorCode::kRefused), 5);
  EXPECT_EQ(exit_status(ErrorCode::kUnwritable), 6);
  EXPECT_EQ(exit_status(ErrorCode::kNumeric), 7);
  EXPECT_EQ(exit_status(ErrorCode::kCheckpoint), 9);
  EXPECT_EQ(exit_status(ErrorCode::kRankLost), 10);
  EXPECT_EQ(exit_status(ErrorCode::kInternal), 70);
}

TEST(Check, PutsThePlaceBeforeTheReason) {
  expect_error(ErrorCode::kMalformed, "a.npy: offset 6: version must be 1.0 but got 9", [] {
    fail(ErrorCode::kMalformed, "a.npy: offset 6", "version must be 1.0 but got {}", 9);
  });
  expect_error(ErrorCode::kUsage, "rope: dim must be even but got 3",
               [] { require(false, "rope", "dim must be even but got {}", 3); });
  EXPECT_NO_THROW(require(true, "rope", "dim must be even"));
}

}  // namespace
}  // namespace sextant
