// SPDX-License-Identifier: Apache-2.0
// extend, as a user meets it.
#include <map>
#include <nlohmann/json.hpp>

#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

constexpr char kLlama2[] = R"({"model_type": "llama", "hidden_size": 4096,
  "num_attention_heads": 32, "num_hidden_layers": 32, "max_position_embeddings": 4096,
  "rope_theta": 10000.0})";

nlohmann::json extend(Words words) {
  words.insert(words.begin(), "extend");
  words.insert(words.end(), {"--json", "--quiet"});
  const CommandResult result = sextant_command(words);
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out, nullptr, false);
}

// Pairs 46 to 63 do not complete a turn in 4096 positions; ntk repairs the last of them alone.
TEST(Extend, ComparesEveryRule) {
  const TemporaryDirectory folder;
  const std::string model = folder.write("config.json", kLlama2).string();
  const auto json = extend({model, "--to", "16384"});
  EXPECT_EQ(json["verb"], "extend");
  EXPECT_EQ(json["trained"], 4096);
  std::map<std::string, nlohmann::json> rows;
  for (const auto& row : json["rows"]) rows[row["method"]] = row;
  EXPECT_EQ(rows["none"]["beyond"], 18);
  EXPECT_EQ(rows["ntk"]["beyond"], 17);
  EXPECT_EQ(rows["yarn"]["beyond"], 0);
  EXPECT_EQ(rows.size(), 9U);
  EXPECT_NE(json["suggested"]["limits"], "");
}

TEST(Extend, PrintsAConfigThatLintAcceptsAndThatGivesTheRuleBack) {
  const TemporaryDirectory folder;
  const std::string model = folder.write("config.json", kLlama2).string();
  for (const char* spelling : {"v4", "v5"}) {
    for (const char* method : {"linear", "yarn", "llama3", "longrope"}) {
      const auto json =
          extend({model, "--to", "16384", "--method", method, "--spelling", spelling});
      nlohmann::json changed = nlohmann::json::parse(kLlama2);
      if (std::string_view(spelling) == "v5") changed.erase("rope_theta");
      changed.update(json["config"]);
      const std::string extended = folder.write("extended.json", changed.dump()).string();
      EXPECT_EQ(sextant_command({"diff", model, extended, "--length", "16384"}).status, 1)
          << method << spelling;
      const CommandResult lint = sextant_command({"lint", extended, "--fail-on", "warning"});
      EXPECT_EQ(lint.status, 0) << method << spelling << lint.out;
      EXPECT_EQ(changed["max_position_embeddings"], 16384);
    }
  }
}

TEST(Extend, StartsFromTheOriginalLength) {
  const TemporaryDirectory folder;
  nlohmann::json llama3 = nlohmann::json::parse(kLlama2);
  llama3["max_position_embeddings"] = 131072;
  llama3["rope_theta"] = 500000.0;
  llama3["rope_scaling"] = {{"rope_type", "llama3"},
                            {"factor", 8.0},
                            {"low_freq_factor", 1.0},
                            {"high_freq_factor", 4.0},
                            {"original_max_position_embeddings", 8192}};
  const std::string model = folder.write("config.json", llama3.dump()).string();
  const auto json = extend({model, "--to", "262144", "--method", "yarn"});
  EXPECT_EQ(json["trained"], 8192);
  EXPECT_EQ(json["config"]["rope_scaling"]["factor"], 32.0);
  EXPECT_NE(json["notes"].dump().find("extended already"), std::string::npos);
}

TEST(Extend, KeepsTheRuleOfAnExtendedModelAndItsKeys) {
  const TemporaryDirectory folder;
  const std::string model =
      folder
          .write("config.json", R"({"model_type": "deepseek_v3", "hidden_size": 7168,
        "num_attention_heads": 128, "qk_rope_head_dim": 64, "num_hidden_layers": 61,
        "max_position_embeddings": 163840, "rope_theta": 10000, "rope_scaling": {"type": "yarn",
        "factor": 40, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1,
        "mscale": 1.0, "mscale_all_dim": 1.0}})")
          .string();
  const auto json = extend({model, "--to", "262144"});
  EXPECT_EQ(json["suggested"]["method"], "yarn");
  EXPECT_NE(json["suggested"]["reason"].dump().find("already"), std::string::npos);
  EXPECT_EQ(json["config"]["rope_scaling"]["mscale_all_dim"], 1.0);
}

TEST(Extend, AsksForALengthThatNothingSays) {
  const TemporaryDirectory folder;
  nlohmann::json linear = nlohmann::json::parse(kLlama2);
  linear["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 8.0}};
  const std::string model = folder.write("config.json", linear.dump()).string();
  expect_failure(2, "/rope_scaling/original_max_position_embeddings is missing",
                 {"extend", model, "--to", "16384"});
}

TEST(Extend, ReadsConfigsThatLeaveOutDefaults) {
  const TemporaryDirectory folder;
  const std::string llava = folder
                                .write("config.json", R"({"model_type": "llava", "text_config": {
        "model_type": "llama", "max_position_embeddings": 4096, "vocab_size": 32064}})")
                                .string();
  const auto json = extend({llava, "--to", "16384"});
  EXPECT_EQ(json["pairs"], 64);
  EXPECT_EQ(json["config"]["text_config"]["max_position_embeddings"], 16384);
  const CommandResult shown = sextant_command({"inspect", llava});
  EXPECT_NE(shown.out.find("hidden_size is absent: 4096"), std::string::npos) << shown.out;
}

TEST(Extend, TellsWhatAnEngineMustDoForMaps) {
  const TemporaryDirectory folder;
  const std::string model = folder.write("config.json", kLlama2).string();
  const CommandResult result =
      sextant_command({"extend", model, "--to", "16384", "--method", "self-extend"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("the engine must"), std::string::npos);
  EXPECT_NE(result.out.find("Limits:"), std::string::npos);
}

TEST(Extend, RefusesWhatIsNoExtension) {
  const TemporaryDirectory folder;
  const std::string model = folder.write("config.json", kLlama2).string();
  expect_failure(2, "must exceed the trained length 4096", {"extend", model, "--to", "4096"});
  expect_failure(2, "--to", {"extend", model});
  expect_failure(2, "did you mean 'yarn'", {"extend", model, "--to", "8192", "--method", "yarm"});
  const std::string gpt2 =
      folder
          .write("gpt2.json", R"({"model_type": "gpt2", "n_embd": 64, "n_head": 4,
        "n_layer": 2, "n_positions": 1024})")
          .string();
  expect_failure(2, "nothing to extend", {"extend", gpt2, "--to", "4096"});
}

}  // namespace
}  // namespace sextant
