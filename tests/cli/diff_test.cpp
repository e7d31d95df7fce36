// SPDX-License-Identifier: Apache-2.0
// diff, as a user meets it.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

std::string config(const TemporaryDirectory& folder, std::string_view name,
                   const std::string& positions) {
  return folder
      .write(name, R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
  "num_hidden_layers": 4, "num_key_value_heads": 8, "max_position_embeddings": 8192, )" +
                       positions + "}")
      .string();
}

TEST(Diff, FindsTwoSpellingsEqual) {
  const TemporaryDirectory folder;
  const std::string v4 = config(folder, "v4.json", R"("rope_theta": 500000)");
  const std::string v5 = config(
      folder, "v5.json", R"("rope_parameters": {"rope_type": "default", "rope_theta": 5e5})");
  const CommandResult result = sextant_command({"diff", v4, v5, "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["verb"], "diff");
  EXPECT_EQ(json["equal"], true);
  const auto& found = json["comparisons"][0];
  EXPECT_EQ(found["first"]["fingerprint"], found["second"]["fingerprint"]);
  EXPECT_EQ(found["groups"][0]["layers"].size(), 4U);
}

// Half the frequency: pair 0 passes 0.1 first, where 1 + c - 2c^2 = 0.1 for c = cos(t/2), t = 1.
TEST(Diff, EndsWithOneWhereTheOperatorsDiffer) {
  const TemporaryDirectory folder;
  const std::string plain = config(folder, "plain.json", R"("rope_theta": 10000)");
  const std::string linear = config(folder, "linear.json",
                                    R"("rope_theta": 10000,
      "rope_scaling": {"rope_type": "linear", "factor": 2.0})");
  const CommandResult text = sextant_command({"diff", plain, linear});
  EXPECT_EQ(text.status, 1) << text.err;
  EXPECT_NE(text.out.find("differ"), std::string::npos);
  EXPECT_NE(text.out.find("agree"), std::string::npos);
  const auto json = nlohmann::json::parse(sextant_command({"diff", plain, linear, "--json"}).out);
  const auto& rotary = json["comparisons"][0]["groups"][0]["rotary"];
  EXPECT_EQ(rotary["differing"].size(), 64U);
  EXPECT_EQ(rotary["largest_relative"], 0.5);
  EXPECT_EQ(rotary["first_positions"][2]["position"], 1);
  EXPECT_NEAR(rotary["logits"][0]["relative"].get<double>(), 2.0 * std::sin(0.25), 1e-14);
}

TEST(Diff, ComparesEnginesWithOneModel) {
  const TemporaryDirectory folder;
  const std::string yarn = config(folder, "config.json",
                                  R"("rope_theta": 150000, "head_dim": 64,
      "rope_scaling": {"rope_type": "yarn", "factor": 32.0, "truncate": false,
                       "original_max_position_embeddings": 4096})");
  const CommandResult result =
      sextant_command({"diff", yarn, "--engines", "hf,llama.cpp", "--json"});
  EXPECT_EQ(result.status, 1) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  // The ramp 8.0928..17.3980 against 8..18.
  EXPECT_EQ(json["comparisons"][0]["groups"][0]["rotary"]["differing"],
            nlohmann::json({9, 10, 11, 12, 13, 14, 15, 16, 17}));
  EXPECT_EQ(json["comparisons"][0]["second"]["engine"], "llama.cpp");
}

// Without weights the lengths and widths of learned tables are all there is to compare.
TEST(Diff, TellsLearnedTablesOfTwoLengthsApart) {
  const TemporaryDirectory folder;
  const auto write = [&](const std::string& file, int positions) {
    return folder
        .write(file, fmt::format(R"({{"model_type":"gpt2","n_embd":768,"n_head":12,"n_layer":12,
            "n_positions":{}}})",
                                 positions))
        .string();
  };
  const std::string one = write("one.json", 1024), two = write("two.json", 2048);
  EXPECT_EQ(sextant_command({"diff", one, two}).status, 1);
  const CommandResult same = sextant_command({"diff", one, one});
  EXPECT_EQ(same.status, 0);
  EXPECT_NE(same.out.find("values of the table are not compared"), std::string::npos) << same.out;
}

TEST(Diff, SaysWhatItTakes) {
  const TemporaryDirectory folder;
  const std::string plain = config(folder, "plain.json", R"("rope_theta": 10000)");
  expect_failure(2, "--engines", {"diff", plain});
  expect_failure(2, "hf, llama.cpp, vllm", {"diff", plain, "--engines", "hf,lama.cpp"});
  expect_failure(2, "but got 3 models", {"diff", plain, plain, plain});
  expect_failure(4, "missing", {"diff", plain, (folder / "missing.json").string()});
}

}  // namespace
}  // namespace sextant
