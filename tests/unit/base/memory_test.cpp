// SPDX-License-Identifier: Apache-2.0
// A made-up /proc and /sys, so that the answer is known.
#include "base/memory.h"

#include <gtest/gtest.h>

#include <fstream>

namespace sextant {
namespace {

namespace fs = std::filesystem;

class AvailableMemory : public testing::Test {
 protected:
  AvailableMemory() { fs::remove_all(root_); }
  ~AvailableMemory() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(AvailableMemory, IsUnknownWithoutProc) { EXPECT_FALSE(available_memory(root_)); }

TEST_F(AvailableMemory, ComesFromMemAvailableInKibibytes) {
  write("proc/meminfo", "MemTotal:  2000 kB\nMemFree: 7 kB\nMemAvailable:    1500 kB\n");
  EXPECT_EQ(available_memory(root_), 1500U * 1024U);
}

TEST_F(AvailableMemory, IsBoundedByTheTightestGroupOnThePath) {
  write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("proc/self/cgroup", "0::/job/step\n");
  write("sys/fs/cgroup/job/memory.max", "5000000\n");
  write("sys/fs/cgroup/job/memory.current", "3000000\n");
  write("sys/fs/cgroup/job/memory.stat", "anon 1\ninactive_file 500000\n");
  write("sys/fs/cgroup/job/step/memory.max", "max\n");
  EXPECT_EQ(available_memory(root_), 2500000U);
}

TEST_F(AvailableMemory, ReadsGroupsOfVersionOne) {
  write("proc/meminfo", "MemAvailable: 1000000 kB\n");
  write("proc/self/cgroup", "3:cpu,cpuacct:/a\n2:memory:/a\n");
  write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4000\n");
  write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "1000\n");
  EXPECT_EQ(available_memory(root_), 3000U);
}

TEST_F(AvailableMemory, IsZeroWhenTheGroupIsOverItsLimit) {
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "10\n");
  write("sys/fs/cgroup/memory.current", "30\n");
  EXPECT_EQ(available_memory(root_), 0U);
}

}  // namespace
}  // namespace sextant
