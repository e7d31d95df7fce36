// SPDX-License-Identifier: Apache-2.0
#include "io/folder_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

TEST(FolderLock, NamesTheHolderToTheSecond) {
  const TemporaryDirectory folder;
  const FolderLock first(folder.path());
  expect_error(ErrorCode::kCheckpoint, "in use by pid " + std::to_string(::getpid()),
               [&] { FolderLock second(folder.path()); });
}

TEST(FolderLock, IsFreeAfterTheHolderIsGone) {
  const TemporaryDirectory folder;
  { const FolderLock first(folder.path()); }
  EXPECT_NO_THROW(FolderLock second(folder.path()));
}

TEST(FolderLock, NeedsAFolder) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kUnwritable, "absent", [&] { FolderLock lock(folder / "absent"); });
}

}  // namespace
}  // namespace sextant
