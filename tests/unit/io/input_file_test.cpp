// SPDX-License-Identifier: Apache-2.0
#include "io/input_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using std::filesystem::path;

std::string text_at(const InputFile& file, std::uint64_t offset, std::size_t size) {
  std::string text(size, '\0');
  file.read_at(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

TEST(InputFile, ReadsByPosition) {
  const TemporaryDirectory folder;
  const InputFile file(folder.write("a", "0123456789"));
  EXPECT_EQ(file.size(), 10u);
  EXPECT_EQ(text_at(file, 7, 3), "789");
  EXPECT_EQ(text_at(file, 0, 2), "01");
  EXPECT_EQ(text_at(file, 10, 0), "");
  EXPECT_NO_THROW(file.verify_unchanged());
}

TEST(InputFile, NamesAMissingFile) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kUnreadable, "absent: No such file or directory",
               [&] { InputFile{folder / "absent"}; });
}

TEST(InputFile, NamesAForbiddenFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryDirectory folder;
  const path file = folder.write("a", "x");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  expect_error(ErrorCode::kUnreadable, "Permission denied", [&] { InputFile{file}; });
}

TEST(InputFile, EscapesThePathInMessages) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kUnreadable, "a\\x0ab: No such file",
               [&] { InputFile{folder / "a\nb"}; });
}

TEST(InputFile, RefusesAllButRegularFiles) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kUnreadable, "regular file but is a directory",
               [&] { InputFile{folder.path()}; });
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  expect_error(ErrorCode::kUnreadable, "regular file", [&] { InputFile{folder / "fifo"}; });
  expect_error(ErrorCode::kUnreadable, "regular file", [&] { InputFile{"/dev/zero"}; });
}

class ChangingFile : public testing::Test {
 protected:
  void expect_changed() const {
    expect_error(ErrorCode::kUnreadable, "changed during reading",
                 [&] { file_.verify_unchanged(); });
  }

  TemporaryDirectory folder_;
  path path_ = folder_.write("a", "0123456789");
  InputFile file_{path_};
};

TEST_F(ChangingFile, IsNoticedWhenItGrows) {
  std::ofstream(path_, std::ios::app) << "more";
  expect_changed();
}

TEST_F(ChangingFile, IsNoticedWhenItShrinks) {
  std::filesystem::resize_file(path_, 5);
  expect_error(ErrorCode::kUnreadable, "changed during reading", [&] { text_at(file_, 0, 10); });
  expect_changed();
}

TEST_F(ChangingFile, IsNoticedWhenItsTimeChanges) {
  std::filesystem::last_write_time(
      path_, std::filesystem::last_write_time(path_) + std::chrono::nanoseconds(1000));
  expect_changed();
}

TEST_F(ChangingFile, IsNoticedWhenAnotherTakesItsPlace) {
  const auto time = std::filesystem::last_write_time(path_);
  const path other = folder_.write("b", "0123456789");
  std::filesystem::last_write_time(other, time);
  std::filesystem::rename(other, path_);
  expect_changed();
}

TEST_F(ChangingFile, IsNoticedWhenItIsRemoved) {
  std::filesystem::remove(path_);
  expect_changed();
}

}  // namespace
}  // namespace sextant
