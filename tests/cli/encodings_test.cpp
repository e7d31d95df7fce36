// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "sextant/registry.h"
#include "support/run_command.h"

namespace sextant {
namespace {

nlohmann::json catalogue() {
  return nlohmann::json::parse(sextant_command({"encodings", "--json"}).out);
}

TEST(EncodingsVerb, ListsTheWholeCatalogue) {
  const CommandResult result = sextant_command({"encodings"});
  EXPECT_EQ(result.status, 0);
  for (const std::string& name : encodings().names()) {
    EXPECT_NE(result.out.find("\n" + name + " "), std::string::npos) << name;
  }
}

TEST(EncodingsVerb, DescribesTheWholeCatalogueInJson) {
  const nlohmann::json json = catalogue();
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("verb"), "encodings");
  std::set<std::string> names;
  for (const auto& entry : json.at("encodings")) {
    names.insert(entry.at("name"));
    for (const char* key : {"title", "formula", "reference", "notes", "sites", "params", "claims",
                            "examples", "needs_values"}) {
      EXPECT_TRUE(entry.contains(key)) << entry.at("name") << " lacks " << key;
    }
    for (const auto& claim : entry.at("claims")) {
      EXPECT_TRUE(claim == "yes" || claim == "no" || claim == "not applicable") << claim;
    }
    for (const auto& param : entry.at("params")) {
      for (const char* key : {"name", "kind", "default", "min", "max", "choices", "doc"}) {
        EXPECT_TRUE(param.contains(key)) << param;
      }
    }
  }
  const std::vector<std::string> registered = encodings().names();
  EXPECT_EQ(names, std::set<std::string>(registered.begin(), registered.end()));
}

TEST(EncodingsVerb, HasAPageWithAPlotForEachName) {
  for (const std::string& name : encodings().names()) {
    const CommandResult result = sextant_command({"encodings", name});
    EXPECT_EQ(result.status, 0) << name << ": " << result.err;
    EXPECT_EQ(result.out.find(name + "  "), 0U) << name;
    const bool plotted = result.out.find("\u2514") != std::string::npos;
    const bool explained = result.out.find("No picture") != std::string::npos ||
                           result.out.find("nothing to plot") != std::string::npos;
    EXPECT_NE(plotted, explained) << name;
    EXPECT_EQ(explained, name == "none" || !encodings().info(name).required_file.empty()) << name;
  }
}

TEST(EncodingsVerb, TakesEveryExample) {
  for (const std::string& name : encodings().names()) {
    for (const std::string_view example : encodings().info(name).examples) {
      const CommandResult result = sextant_command({"encodings", std::string(example), "--json"});
      EXPECT_EQ(result.status, 0) << example << ": " << result.err;
    }
  }
}

TEST(EncodingsVerb, ShowsBothPartsOfASum) {
  const auto json =
      nlohmann::json::parse(sextant_command({"encodings", "rope+alibi", "--json"}).out);
  ASSERT_EQ(json.at("encodings").size(), 2U);
  EXPECT_EQ(json.at("encodings")[0].at("name"), "rope");
  EXPECT_EQ(json.at("encodings")[1].at("name"), "alibi");
  EXPECT_EQ(json.at("spec"), "rope+alibi");
}

TEST(EncodingsVerb, AnEncodingNamedLikeAVerbIsAnEncoding) {
  const CommandResult result = sextant_command({"encodings", "table"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("needs file=FILE"), std::string::npos);
}

TEST(EncodingsVerb, DrawsSmallPicturesOnRequest) {
  const CommandResult result = sextant_command({"encodings", "--pictures"});
  EXPECT_EQ(result.status, 0) << result.err;
  std::size_t plots = 0;
  for (auto at = result.out.find("\u2514"); at != std::string::npos;
       at = result.out.find("\u2514", at + 1)) {
    ++plots;
  }
  EXPECT_GE(plots + 6, encodings().names().size());
  expect_failure(2, "--pictures", {"encodings", "rope", "--pictures"});
}

TEST(EncodingsVerb, PlotsInAsciiWhereTheLocaleIsNotUtf8) {
  const auto ascii = [](const std::string& text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  };
  EXPECT_TRUE(ascii(sextant_command({"encodings", "rope"}, {.environment = {"LC_ALL=C"}}).out));
  EXPECT_TRUE(ascii(sextant_command({"encodings", "rope", "--ascii"}).out));
  EXPECT_FALSE(ascii(sextant_command({"encodings", "rope"}).out));
}

TEST(EncodingsVerb, KeepsWithinTheUsualTerminal) {
  const std::string text = sextant_command({"encodings", "rope", "--ascii"}).out;
  std::size_t start = 0;
  for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    EXPECT_LE(end - start, 100U) << text.substr(start, end - start);
    start = end + 1;
  }
}

TEST(EncodingsVerb, RejectsWhatIsNoSpec) {
  expect_failure(2, "did you mean 'rope'", {"encodings", "rop"});
  expect_failure(2, "character 6", {"encodings", "rope(=3)"});
  expect_failure(2, "character", {"encodings", "rope(base=10"});
  expect_failure(2, "no parameter 'bsae' (did you mean 'base'?)", {"encodings", "rope(bsae=10)"});
  expect_failure(2, "base", {"encodings", "rope(base=nan)"});
  expect_failure(2, "base", {"encodings", "rope(base=-1)"});
  expect_failure(2, "base", {"encodings", "rope(base=10x)"});
}

TEST(EncodingsVerb, TheSeedReachesTheEncodingThatDraws) {
  const auto json =
      nlohmann::json::parse(sextant_command({"encodings", "random", "--seed", "7", "--json"}).out);
  EXPECT_EQ(json.at("spec"), "random(seed=7)");
  expect_failure(2, "--seed", {"encodings", "rope", "--seed", "7"});
}

}  // namespace
}  // namespace sextant
