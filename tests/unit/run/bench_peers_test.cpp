// SPDX-License-Identifier: Apache-2.0
#include "run/bench_peers.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace sextant {
namespace {

namespace fs = std::filesystem;

// A program in the place of python3.
std::string program(const TemporaryDirectory& folder, const std::string& script) {
  const fs::path path = folder.path() / "python3";
  std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
  fs::permissions(path, fs::perms::owner_all);
  return path.string();
}

const BenchCase kTable = {.name = "table"}, kOther = {.name = "other"};

// Two cases in a second each, one with work for Python.
std::vector<BenchRow> made_rows() {
  const PeerTask task = {.function = "rotary_table",
                         .libraries = {"numpy", "torch"},
                         .sizes = {{"positions", 64}, {"dim", 8}},
                         .bytes = 1e6};
  return {{.measured = &kTable, .ours = {"ours", 1.0, 1.0}, .peer = task},
          {.measured = &kOther, .ours = {"ours", 1.0, 1.0}}};
}

TEST(BenchPeers, TakesTimesAndSaysWhatIsMissing) {
  const TemporaryDirectory folder;
  std::vector<BenchRow> rows = made_rows();
  const auto libraries = time_peers(
      rows, {.python = {program(folder,
                                "printf 'a library that talks\\nlibrary\\tnumpy\\t9.1\\n'\n"
                                "printf 'time\\ttable\\tnumpy\\t4.0\\t5.0\\n'\n"
                                "printf 'time\\tother\\tnumpy\\t4.0\\t5.0\\n'\n"
                                "printf 'missing\\ttorch\\tno such module\\n'")}});
  ASSERT_EQ(libraries.size(), 2U);
  EXPECT_EQ(libraries[0].version, "9.1");
  EXPECT_EQ(libraries[1].version, "");
  EXPECT_EQ(libraries[1].reason, "no such module");
  ASSERT_EQ(rows[0].peers.size(), 1U);
  EXPECT_EQ(rows[0].peers[0].median, 5.0);
  EXPECT_EQ(speed_over(rows[0], "numpy"), 4.0);
  EXPECT_TRUE(rows[1].peers.empty()) << "it has no work for Python";
}

TEST(BenchPeers, KeepsWhatWasToldBeforeTheTimeWasUp) {
  const TemporaryDirectory folder;
  std::vector<BenchRow> rows = made_rows();
  const double start = wall_seconds();
  const auto libraries = time_peers(
      rows, {.most_seconds = 0.5,
             .python = {program(folder, "printf 'library\\tnumpy\\t9.1\\n'\nexec sleep 60")}});
  EXPECT_LT(wall_seconds() - start, 30.0) << "it was not waited for";
  EXPECT_EQ(libraries[0].version, "9.1");
  ASSERT_EQ(rows[0].peers.size(), 1U);
  EXPECT_FALSE(rows[0].peers[0].shortest.has_value());
  EXPECT_NE(rows[0].peers[0].error.find("longer than 0.5 s"), std::string::npos);
  EXPECT_NE(libraries[1].reason.find("longer than 0.5 s"), std::string::npos);
}

TEST(BenchPeers, LivesWithoutPython) {
  std::vector<BenchRow> rows = made_rows();
  const auto libraries = time_peers(rows, {.python = {"/no/such/python3"}});
  ASSERT_EQ(libraries.size(), 2U);
  for (const PeerLibrary& library : libraries) {
    EXPECT_EQ(library.version, "");
    EXPECT_NE(library.reason, "");
  }
  EXPECT_TRUE(rows[0].peers.empty());
}

TEST(BenchPeers, StartsNothingWithoutWork) {
  std::vector<BenchRow> rows = made_rows();
  rows[0].error = "wrong answer";
  EXPECT_TRUE(time_peers(rows, {.python = {"/no/such/python3"}}).empty());
}

TEST(BenchPeers, LeavesOutWhatDoesNotFitTheMemory) {
  const TemporaryDirectory folder;
  std::vector<BenchRow> rows = made_rows();
  time_peers(rows, {.memory = 500'000,
                    .python = {program(folder,
                                       "printf 'library\\tnumpy\\t9.1\\n'\n"
                                       "case \"$3\" in *rotary_table*) exit 3;; esac")}});
  ASSERT_EQ(rows[0].peers.size(), 1U);
  EXPECT_EQ(rows[0].peers[0].error, "needs 1.0 MB of memory, have 0.5 MB");
}

}  // namespace
}  // namespace sextant
