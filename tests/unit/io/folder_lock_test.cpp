// SPDX-License-Identifier: Apache-2.0
#include "io/folder_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

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

TEST(FolderParts, OfOneFolderAreHeldSideBySide) {
  const TemporaryDirectory folder;
  const std::vector<std::string> even = {"a", "c"}, odd = {"b", "d"}, mixed = {"e", "c"};
  const FolderParts first(folder.path(), even);
  EXPECT_NO_THROW(FolderParts second(folder.path(), odd));
  expect_error(ErrorCode::kCheckpoint, "'c' is in use by another process",
               [&] { FolderParts third(folder.path(), mixed); });
  EXPECT_NO_THROW(FolderParts fourth(folder.path(), odd)) << "e is free again";
}

TEST(FolderParts, KeepTheFolderFromBeingHeldAsAWhole) {
  const TemporaryDirectory folder;
  const std::vector<std::string> parts = {"a"};
  {
    const FolderParts part(folder.path(), parts);
    expect_error(ErrorCode::kCheckpoint, "in use by processes that do parts of it",
                 [&] { FolderLock whole(folder.path()); });
  }
  const FolderLock whole(folder.path());
  expect_error(ErrorCode::kCheckpoint, "in use by pid " + std::to_string(::getpid()),
               [&] { FolderParts part(folder.path(), parts); });
}

TEST(OutputFolder, GoesAgainWhenNothingIsInIt) {
  const TemporaryDirectory folder;
  { const OutputFolder output(folder / "a/b"); }
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  {
    const OutputFolder output(folder / "a/b");
    folder.write("a/b/x", "kept");
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "a/b/x"));
  std::filesystem::remove(folder / "a/b/x");
  { const OutputFolder output(folder / "a/b"); }
  EXPECT_TRUE(std::filesystem::exists(folder / "a/b")) << "it was there before";
}

TEST(FolderLock, NeedsAFolder) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kUnwritable, "absent", [&] { FolderLock lock(folder / "absent"); });
}

}  // namespace
}  // namespace sextant
