// SPDX-License-Identifier: Apache-2.0
// inspect, as a user meets it.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/gguf_bytes.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

constexpr char kLlama[] = R"({"model_type":"llama","hidden_size":256,"num_attention_heads":4,
    "num_hidden_layers":2,"max_position_embeddings":4096,"rope_theta":10000,
    "rope_scaling":{"rope_type":"linear","factor":4,"beta_fast":32}})";

class Inspect : public testing::Test {
 protected:
  std::string config(const std::string& text) const {
    return folder_.write("config.json", text).string();
  }
  nlohmann::json json_of(std::vector<std::string> words) const {
    words.insert(words.begin(), "inspect");
    words.emplace_back("--json");
    const CommandResult result = sextant_command(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  TemporaryDirectory folder_;
};

TEST_F(Inspect, PrintsTheOperatorAsJson) {
  const nlohmann::json document = json_of({config(kLlama)});
  EXPECT_EQ(document["verb"], "inspect");
  EXPECT_EQ(document["encoding"], "rope(scaling=linear,factor=4)");
  ASSERT_EQ(document["inv_freq"].size(), 32U);
  EXPECT_EQ(document["inv_freq"][0], 0.25);
  EXPECT_NEAR(document["inv_freq"][31].get<double>(), std::pow(10000.0, -62.0 / 64.0) / 4, 1e-19);
  EXPECT_EQ(document["magnitude"], 1.0);
  EXPECT_EQ(document["pairing"], "half");
  EXPECT_EQ(document["fingerprint"].get<std::string>().size(), 16U);
  ASSERT_EQ(document["groups"].size(), 1U);
  EXPECT_EQ(document["groups"][0]["layers"], (std::vector<int>{0, 1}));
  EXPECT_NEAR(document["groups"][0]["longest_wavelength"].get<double>(),
              8 * std::acos(-1.0) * std::pow(10000.0, 62.0 / 64.0), 1e-6);
  const auto ignored = std::find_if(document["keys"].begin(), document["keys"].end(),
                                    [](const auto& key) { return !key["consumed"]; });
  ASSERT_NE(ignored, document["keys"].end());
  EXPECT_EQ((*ignored)["key"], "/rope_scaling/beta_fast");
}

TEST_F(Inspect, PrintsATableForPeople) {
  const CommandResult result = sextant_command({"inspect", config(kLlama)});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* part : {"rope(scaling=linear,factor=4)", "half, 64 of 64", "32 pairs",
                           "fingerprint", "Keys ignored", "not read by linear", "0-1 (2 layers)"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST_F(Inspect, AppliesTheRulesOfAnEngine) {
  const std::string path = config(R"({"model_type":"llama","head_dim":64,
      "max_position_embeddings":2048,"rope_scaling":{"type":"dynamic","factor":4}})");
  EXPECT_EQ(json_of({path, "--engine", "llama.cpp"})["encoding"], "rope");
  EXPECT_EQ(json_of({path, "--engine", "vllm"})["encoding"], "rope(scaling=ntk,factor=13)");
  EXPECT_EQ(json_of({path, "--length", "8192"})["encoding"],
            "rope(scaling=dynamic,factor=4,original=2048,length=8192)");
}

TEST_F(Inspect, ReadsGguf) {
  const std::string path =
      folder_
          .write("m.gguf", gguf_bytes({gguf_text("general.architecture", "llama"),
                                       gguf_u32("llama.attention.key_length", 16)},
                                      {}, ""))
          .string();
  const nlohmann::json document = json_of({path});
  EXPECT_EQ(document["engine"], "llama.cpp");
  EXPECT_EQ(json_of({path, "--engine", "hf"})["engine"], "hf");
  EXPECT_EQ(document["encoding"], "rope(pairing=interleaved)");
  EXPECT_EQ(document["format"], "gguf");
}

// For pictures the sections decide which coordinate turns a pair; for text they do not.
TEST_F(Inspect, TellsSectionsApart) {
  const auto qwen = [&](const std::string& scaling) {
    return json_of({config(R"({"model_type":"qwen2_vl","head_dim":128,"rope_theta":1000000.0,
        "max_position_embeddings":32768)" +
                           scaling + "}")});
  };
  const auto plain = qwen("");
  const auto one = qwen(R"(,"rope_scaling":{"type":"mrope","mrope_section":[16,24,24]})");
  const auto two = qwen(R"(,"rope_scaling":{"type":"mrope","mrope_section":[24,20,20]})");
  EXPECT_EQ(one["encoding"], "mrope(sections=16:24:24,base=1000000)");
  EXPECT_EQ(one["inv_freq"], plain["inv_freq"]);
  EXPECT_NE(one["fingerprint"], plain["fingerprint"]);
  EXPECT_NE(one["fingerprint"], two["fingerprint"]);
}

TEST_F(Inspect, FailsInOneLine) {
  expect_failure(3, "/rope_scaling/rope_type",
                 {"inspect", config(R"({"rope_scaling":{"rope_type":"yam"}})")});
  expect_failure(4, "missing.json", {"inspect", (folder_ / "missing.json").string()});
  expect_failure(2, "factor is missing", {"inspect", config(R"({"model_type":"llama",
      "head_dim":64,"rope_scaling":{"type":"linear"}})")});
  expect_failure(2, "--engine", {"inspect", config("{}"), "--engine", "ggml"});
}

}  // namespace
}  // namespace sextant
