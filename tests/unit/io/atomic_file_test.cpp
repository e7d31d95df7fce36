// SPDX-License-Identifier: Apache-2.0
#include "io/atomic_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Existing = AtomicFile::Existing;
using std::filesystem::path;

std::size_t entries(const path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(AtomicFile, AppearsWholeAtCommit) {
  const TemporaryDirectory folder;
  AtomicFile file(folder / "a.npy", Existing::kKeep);
  file.write("head");
  const std::array<std::byte, 2> tail = {std::byte{0}, std::byte{255}};
  file.write(tail);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.npy"));
  file.commit();
  EXPECT_EQ(content_of(folder / "a.npy"), std::string("head\0\xff", 6));
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryDirectory folder;
  {
    AtomicFile file(folder / "a", Existing::kKeep);
    file.write("text");
    EXPECT_EQ(entries(folder.path()), 1u);
  }
  EXPECT_EQ(entries(folder.path()), 0u);
}

TEST(AtomicFile, KeepsAnExistingFile) {
  const TemporaryDirectory folder;
  folder.write("a", "old");
  expect_error(ErrorCode::kUnwritable, "a: exists; use --force to replace it",
               [&] { AtomicFile(folder / "a", Existing::kKeep); });
  EXPECT_EQ(content_of(folder / "a"), "old");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, KeepsAFileThatAppearsMeanwhile) {
  const TemporaryDirectory folder;
  {
    AtomicFile file(folder / "a", Existing::kKeep);
    file.write("new");
    folder.write("a", "appeared");
    expect_error(ErrorCode::kUnwritable, "a: exists; use --force", [&] { file.commit(); });
  }
  EXPECT_EQ(content_of(folder / "a"), "appeared");
  EXPECT_EQ(entries(folder.path()), 1u);
}

TEST(AtomicFile, ReplacesOnlyWhenAsked) {
  const TemporaryDirectory folder;
  folder.write("a", "old");
  AtomicFile file(folder / "a", Existing::kReplace);
  file.write("new");
  EXPECT_EQ(content_of(folder / "a"), "old");
  file.commit();
  EXPECT_EQ(content_of(folder / "a"), "new");
}

TEST(AtomicFile, RefusesWhatIsNoRegularFile) {
  const TemporaryDirectory folder;
  for (const Existing existing : {Existing::kKeep, Existing::kReplace}) {
    expect_error(ErrorCode::kUnwritable, "Is a directory",
                 [&] { AtomicFile(folder.path(), existing); });
    expect_error(ErrorCode::kUnwritable, "/dev/null: must be a regular file",
                 [&] { AtomicFile("/dev/null", existing); });
  }
  expect_error(ErrorCode::kUnwritable, "Is a directory",
               [&] { AtomicFile(folder.path() / "", Existing::kKeep); });
  expect_error(ErrorCode::kUnwritable, "No such file",
               [&] { AtomicFile(path(), Existing::kKeep); });
}

TEST(AtomicFile, KeepsALinkThatLeadsNowhere) {
  const TemporaryDirectory folder;
  std::filesystem::create_symlink("nowhere", folder / "a");
  expect_error(ErrorCode::kUnwritable, "exists",
               [&] { AtomicFile(folder / "a", Existing::kKeep); });
}

TEST(AtomicFile, NamesTheTargetWhenTheFolderIsMissing) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kUnwritable, "absent/a: No such file or directory",
               [&] { AtomicFile(folder / "absent/a", Existing::kKeep); });
}

TEST(AtomicFile, AcceptsTheLongestName) {
  const TemporaryDirectory folder;
  const std::string name(255, 'n');
  AtomicFile file(folder / name, Existing::kKeep);
  file.commit();
  EXPECT_TRUE(std::filesystem::exists(folder / name));
}

TEST(AtomicFile, WritesSeveralVersionsOfOneFileAtOnce) {
  const TemporaryDirectory folder;
  AtomicFile first(folder / "a", Existing::kReplace), second(folder / "a", Existing::kReplace);
  first.write("first");
  second.write("second");
  first.commit();
  second.commit();
  EXPECT_EQ(content_of(folder / "a"), "second");
  EXPECT_EQ(entries(folder.path()), 1u);
}

// A limit on the file size stands in for a full disk: both make write() stop half way and fail.
TEST(AtomicFile, LeavesNothingWhenTheDiskIsFull) {
  const TemporaryDirectory folder;
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {.rlim_cur = 1000, .rlim_max = before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_error(ErrorCode::kUnwritable, "a: File too large", [&] {
    AtomicFile file(folder / "a", Existing::kKeep);
    file.write(std::string(4096, 'x'));
    file.commit();
  });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(entries(folder.path()), 0u);
}

}  // namespace
}  // namespace sextant
