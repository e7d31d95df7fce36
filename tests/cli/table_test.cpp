// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/npy.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

class TableVerb : public testing::Test {
 protected:
  std::string file(std::string_view name) const { return (folder_ / name).string(); }

  // A .npy file of doubles.
  std::string positions(std::string_view name, const std::vector<double>& values,
                        const std::vector<Index>& shape) const {
    std::string bytes = npy_header("<f8", shape);
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    return folder_.write(name, bytes).string();
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), {}));
  }

  TemporaryDirectory folder_;
};

nlohmann::json document_of(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const CommandResult result = sextant_command(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

TEST_F(TableVerb, PrintsTheLadderOfRope) {
  const auto json = document_of({"table", "rope", "--what", "inv_freq", "--dim", "128"});
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("verb"), "table");
  EXPECT_EQ(json.at("spec"), "rope");
  EXPECT_EQ(json.at("what"), "inv_freq");
  EXPECT_EQ(json.at("dim"), 128);
  EXPECT_EQ(json.at("magnitude"), 1.0);
  ASSERT_EQ(json.at("inv_freq").size(), 64U);
  EXPECT_EQ(json.at("inv_freq")[0], 1.0);
  EXPECT_EQ(json.at("inv_freq")[32], 0.01);  // 10000^(-64/128)
  EXPECT_EQ(json.at("inv_freq")[16], 0.1);
}

TEST_F(TableVerb, WritesNpyThatHoldsTheTable) {
  const std::string path = file("p.npy");
  const auto json =
      document_of({"table", "sinusoidal", "--positions", "5", "--dim", "6", "-o", path});
  EXPECT_EQ(json.at("shape"), (std::vector<int>{5, 6}));
  EXPECT_EQ(json.at("dtype"), "f32");
  EXPECT_EQ(json.at("file"), path);
  const std::string bytes = content_of(path);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(bytes.size() % 64, (5U * 6U * 4U) % 64);  // the header is padded to 64 bytes
  const NpyArray array = read_npy(path);
  EXPECT_EQ(array.shape, (std::vector<Index>{5, 6}));
  EXPECT_EQ(array.values[0], 0.0);  // sin 0, cos 0
  EXPECT_EQ(array.values[1], 1.0);
  EXPECT_EQ(array.values[6], static_cast<double>(std::sin(1.0F)));
}

TEST_F(TableVerb, WritesEveryTypeAndFormat) {
  const std::vector<std::pair<std::string, std::size_t>> types = {
      {"f64", 8}, {"f32", 4}, {"f16", 2}, {"bf16", 2}};
  for (const auto& [type, size] : types) {
    for (const std::string extension : {".npy", ".safetensors", ".csv"}) {
      const std::string path = file(type + extension);
      const CommandResult result = sextant_command(
          {"table", "rope", "--positions", "3", "--dim", "8", "--dtype", type, "-o", path});
      EXPECT_EQ(result.status, 0) << result.err;
      EXPECT_NE(result.out.find("[3, 4]"), std::string::npos) << result.out;
      const std::string bytes = content_of(path);
      if (extension == ".csv") {
        EXPECT_EQ(bytes.substr(0, 8), "1,1,1,1\n");
        EXPECT_EQ(std::count(bytes.begin(), bytes.end(), '\n'), 3);
      } else {
        // The first row is cos 0 = 1; the table ends the file.
        std::string one(size, '\0');
        const std::uint64_t pattern = type == "f64"   ? 0x3FF0000000000000U
                                      : type == "f32" ? 0x3F800000U
                                      : type == "f16" ? 0x3C00U
                                                      : 0x3F80U;
        std::memcpy(one.data(), &pattern, size);
        EXPECT_EQ(bytes.substr(bytes.size() - 12 * size, size), one) << path;
      }
    }
  }
}

TEST_F(TableVerb, SaysThatNpyHoldsBitPatterns) {
  const CommandResult result =
      sextant_command({"table", "rope", "--dtype", "bf16", "-o", file("a.npy"), "--json"});
  EXPECT_EQ(nlohmann::json::parse(result.out).at("stored_as"), "uint16 bit patterns");
  EXPECT_NE(result.err.find("bit patterns"), std::string::npos);
  const CommandResult quiet =
      sextant_command({"table", "rope", "--dtype", "bf16", "-o", file("b.npy"), "--quiet"});
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

TEST_F(TableVerb, NamesTensorAndSpecInSafetensors) {
  const std::string path = file("a.safetensors");
  document_of({"table", "alibi(heads=4)", "--positions", "3", "-o", path});
  const std::string bytes = content_of(path);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  const auto header = nlohmann::json::parse(bytes.substr(8, length));
  EXPECT_EQ(header.at("bias").at("shape"), (std::vector<int>{4, 3, 3}));
  EXPECT_EQ(header.at("bias").at("dtype"), "F32");
  EXPECT_EQ(header.at("__metadata__").at("spec"), "alibi(heads=4)");
  EXPECT_EQ(header.at("__metadata__").at("positions"), "3");
}

TEST_F(TableVerb, StartsAtTheOffset) {
  const auto all = document_of({"table", "rope", "--positions", "9", "--dim", "4"}).at("values");
  const auto one =
      document_of({"table", "rope", "--positions", "1", "--offset", "8", "--dim", "4"});
  EXPECT_EQ(one.at("values")[0], all[8]);
  const auto back = document_of(
      {"table", "rope", "--positions", "1", "--offset", "-8", "--dim", "4", "--what", "cos"});
  EXPECT_EQ(back.at("values")[0], all[8]);  // the cosine is even
}

TEST_F(TableVerb, TakesPositionsFromAFile) {
  const auto all = document_of({"table", "rope", "--positions", "9", "--dim", "4"}).at("values");
  const std::string at = positions("at.npy", {7.0, 2.0, 2.5}, {3});
  const auto some = document_of({"table", "rope", "--at", at, "--dim", "4"}).at("values");
  ASSERT_EQ(some.size(), 3U);
  EXPECT_EQ(some[0], all[7]);
  EXPECT_EQ(some[1], all[2]);
  EXPECT_NE(some[2], all[2]);
}

TEST_F(TableVerb, RejectsPositionsThatAreNone) {
  expect_failure(4, "missing.npy", {"table", "rope", "--at", file("missing.npy")});
  expect_failure(3, "empty.npy",
                 {"table", "rope", "--at", folder_.write("empty.npy", "").string()});
  expect_failure(3, "text.npy",
                 {"table", "rope", "--at", folder_.write("text.npy", "1,2,3\n").string()});
  expect_failure(3, "[1, 1, 2]",
                 {"table", "rope", "--at", positions("deep.npy", {1.0, 2.0}, {1, 1, 2})});
  expect_failure(3, "no positions", {"table", "rope", "--at", positions("none.npy", {}, {0})});
  expect_failure(7, "nan.npy", {"table", "rope", "--at", positions("nan.npy", {NAN}, {1})});
  expect_failure(2, "--at",
                 {"table", "rope", "--at", positions("at.npy", {1.0}, {1}), "--positions", "3"});
}

TEST_F(TableVerb, RejectsSizesThatAreNone) {
  for (const std::string option : {"--positions", "--dim", "--heads", "--length", "--threads"}) {
    for (const std::string value : {"0", "-3", "1e30", "12abc", "+4", "", " 4", "0x10", "4.0",
                                    "nan", "99999999999999999999999"}) {
      expect_failure(2, option + ": must be an integer", {"table", "rope", option, value});
    }
  }
  expect_failure(2, "--offset: must be a finite number", {"table", "rope", "--offset", "inf"});
  expect_failure(2, "--mem: must be a number of bytes", {"table", "rope", "--mem", "lots"});
  expect_failure(2, "--mem", {"table", "rope", "--mem", "99999999999999T"});
  expect_failure(2, "--dtype: must be one of", {"table", "rope", "--dtype", "f8"});
  expect_failure(2, "--what: must be one of", {"table", "rope", "--what", "cosine"});
}

TEST_F(TableVerb, RejectsWhatTheEncodingDoesNotHave) {
  expect_failure(2, "SPEC", {"table"});
  expect_failure(2, "SPEC: must not be empty", {"table", ""});
  expect_failure(2, "--output: must not be empty", {"table", "rope", "-o", ""});
  expect_failure(2, "none: has no table", {"table", "none"});
  expect_failure(2, "even", {"table", "rope", "--dim", "7"});
  expect_failure(2, "has no bias", {"table", "rope", "--what", "bias"});
  expect_failure(2, "has no inv_freq", {"table", "sinusoidal", "--what", "inv_freq"});
  expect_failure(2, "heads", {"table", "alibi(heads=12)", "--heads", "8"});
  expect_failure(2, "file", {"table", "table"});
  expect_failure(4, "absent.npy", {"table", "table:absent.npy"});
}

TEST_F(TableVerb, KeepsAnExistingFileUnlessForced) {
  const std::string path = folder_.write("a.npy", "precious").string();
  expect_failure(6, "a.npy", {"table", "rope", "-o", path});
  EXPECT_EQ(content_of(path), "precious");
  EXPECT_EQ(sextant_command({"table", "rope", "-o", path, "--force"}).status, 0);
  EXPECT_EQ(read_npy(path).shape, (std::vector<Index>{64, 32}));
  EXPECT_EQ(files(), 1U);
}

TEST_F(TableVerb, LeavesNothingBehindWhenItFails) {
  expect_failure(2, "even", {"table", "rope", "--dim", "7", "-o", file("a.npy")});
  expect_failure(2, ".npy, .safetensors or .csv", {"table", "rope", "-o", file("a.txt")});
  expect_failure(2, "two axes", {"table", "alibi", "-o", file("a.csv")});
  EXPECT_EQ(files(), 0U);
  expect_failure(6, "nowhere", {"table", "rope", "-o", file("nowhere/a.npy")});
}

TEST_F(TableVerb, NeverOverwritesItsInput) {
  const std::string at = positions("at.npy", {1.0, 2.0}, {2});
  const std::string before = content_of(at);
  const std::string alias = file("alias.npy");
  std::filesystem::create_hard_link(at, alias);
  expect_failure(2, "input", {"table", "rope", "--at", at, "-o", at, "--force"});
  expect_failure(2, "input", {"table", "rope", "--at", at, "-o", alias, "--force"});
  EXPECT_EQ(content_of(at), before);
}

TEST_F(TableVerb, RefusesWhatDoesNotFitAtOnce) {
  expect_failure(5, "needs 10240.0 GB",
                 {"table", "alibi", "--positions", "200000", "--heads", "64"});
  expect_failure(5, "GB", {"table", "sinusoidal", "--positions", "1000000000000"});
  expect_failure(5, "GB", {"table", "rope", "--positions", "9000000000000000000"});
  expect_failure(5, "width 65536", {"table", "grape", "--dim", "65536", "--mem", "1G"});
  expect_failure(5, "0.0", {"table", "rope", "--positions", "4096", "--mem", "100K"});
  expect_failure(2, "use -o", {"table", "rope", "--positions", "4096", "--json"});
}

TEST_F(TableVerb, PrintsTheEndsOfALargeTable) {
  const CommandResult result = sextant_command({"table", "rope", "--positions", "5000"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("..."), std::string::npos);
  EXPECT_NE(result.out.find("\n4999 "), std::string::npos);
  EXPECT_LT(std::count(result.out.begin(), result.out.end(), '\n'), 30);
}

TEST_F(TableVerb, GivesTheSameBytesForEveryNumberOfThreads) {
  for (const std::string threads : {"1", "7"}) {
    sextant_command({"table", "rope", "--positions", "3000", "--threads", threads, "-o",
                     file(threads + ".npy")});
  }
  EXPECT_EQ(content_of(file("1.npy")), content_of(file("7.npy")));
  EXPECT_FALSE(content_of(file("1.npy")).empty());
}

}  // namespace
}  // namespace sextant
