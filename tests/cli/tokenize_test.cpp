// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "io/npy.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

class TokenizeVerb : public testing::Test {
 protected:
  std::string file(std::string_view name) const { return (folder_ / name).string(); }

  std::vector<double> array(std::string_view name) const {
    const NpyArray read = read_npy(folder_ / name);
    return {read.values.begin(), read.values.end()};
  }

  TemporaryDirectory folder_;
};

TEST_F(TokenizeVerb, WritesIdsAndLengths) {
  const std::string input = folder_.write("a.txt", "the cat\n\nThe dog sat\n").string();
  const CommandResult result =
      sextant_command({"tokenize", input, "-o", file("ids.npy"), "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("verb"), "tokenize");
  EXPECT_EQ(json.at("sequences"), 2);
  EXPECT_EQ(json.at("tokens"), 5);
  EXPECT_EQ(json.at("vocabulary"), 4);
  EXPECT_EQ(json.at("shape"), (std::vector<int>{5}));
  EXPECT_EQ(json.at("file"), file("ids.npy"));
  EXPECT_EQ(json.at("lengths_file"), file("ids.lengths.npy"));
  EXPECT_EQ(array("ids.npy"), (std::vector<double>{0, 1, 0, 2, 3}));
  EXPECT_EQ(array("ids.lengths.npy"), (std::vector<double>{2, 3}));
  EXPECT_EQ(content_of(folder_ / "ids.npy").size(), 128U + 5 * 4);  // int32
}

TEST_F(TokenizeVerb, ReadsTheColumnsAndTheNumberAskedFor) {
  const std::string input = folder_.write("a.tsv", "x\tab\ny\tc\nz\td\n").string();
  const CommandResult result = sextant_command(
      {"tokenize", input, "--tokens", "bytes", "--limit", "2", "-o", file("ids.npy")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(array("ids.npy"), (std::vector<double>{'a', 'b', 'c'}));
  EXPECT_EQ(array("ids.lengths.npy"), (std::vector<double>{2, 1}));
}

TEST_F(TokenizeVerb, KeepsWhatIsThereUnlessForced) {
  const std::string input = folder_.write("a.txt", "a b\n").string();
  folder_.write("ids.lengths.npy", "mine");
  expect_failure(6, "exists", {"tokenize", input, "-o", file("ids.npy")});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ids.npy"));
  EXPECT_EQ(content_of(folder_ / "ids.lengths.npy"), "mine");
  EXPECT_EQ(sextant_command({"tokenize", input, "-o", file("ids.npy"), "--force"}).status, 0);
  EXPECT_EQ(array("ids.lengths.npy"), (std::vector<double>{2}));
}

TEST_F(TokenizeVerb, LeavesNothingBehindAfterAFault) {
  const std::string good = folder_.write("a.txt", "a b\n").string();
  const std::string bad = folder_.write("b.txt", "a \xff\n").string();
  expect_failure(3, "b.txt", {"tokenize", good, bad, "-o", file("ids.npy")});
  expect_failure(4, "absent", {"tokenize", file("absent"), "-o", file("ids.npy")});
  expect_failure(4, "absent", {"tokenize", good, "--tokens", "gpt2:absent", "-o", file("ids.npy")});
  const auto count = std::distance(std::filesystem::directory_iterator(folder_.path()), {});
  EXPECT_EQ(count, 2);
}

TEST_F(TokenizeVerb, RefusesAWrongCall) {
  const std::string input = folder_.write("a.txt", "a b\n").string();
  expect_failure(2, "FILE", {"tokenize", "-o", file("ids.npy")});
  expect_failure(2, "--output", {"tokenize", input});
  expect_failure(2, "must end in .npy", {"tokenize", input, "-o", file("ids.bin")});
  expect_failure(2, "did you mean 'words'",
                 {"tokenize", input, "--tokens", "word", "-o", file("ids.npy")});
  expect_failure(2, "needs --tokens bytes",
                 {"tokenize", input, "--invalid", "bytes", "-o", file("ids.npy")});
  expect_failure(2, "--limit", {"tokenize", input, "--limit", "0", "-o", file("ids.npy")});
  const std::string npy = folder_.write("in.npy", "a b\n").string();
  expect_failure(2, "is an input", {"tokenize", npy, "--format", "text", "-o", npy, "--force"});
}

}  // namespace
}  // namespace sextant
