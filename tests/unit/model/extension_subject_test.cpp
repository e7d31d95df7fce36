// SPDX-License-Identifier: Apache-2.0
// Real configs, from the public files of the models, and what `extend` keeps of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "model/extension.h"
#include "support/expect_error.h"
#include "support/model_config.h"

namespace sextant {
namespace {

constexpr char kGemma3[] = R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text",
  "hidden_size": 2560, "num_hidden_layers": 34, "sliding_window": 1024,
  "max_position_embeddings": 131072, "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}})";

constexpr char kDeepSeekYarn[] = R"({"model_type": "deepseek_v3", "hidden_size": 7168,
  "num_attention_heads": 128, "qk_rope_head_dim": 64, "num_hidden_layers": 61,
  "max_position_embeddings": 163840, "rope_theta": 10000, "rope_scaling": {"type": "yarn",
  "factor": 40, "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1,
  "mscale": 1.0, "mscale_all_dim": 1.0}})";

constexpr char kPlainPhi3[] = R"({"model_type": "phi3", "hidden_size": 3072,
  "num_attention_heads": 32, "num_hidden_layers": 32, "max_position_embeddings": 4096,
  "original_max_position_embeddings": 4096, "rope_theta": 10000.0, "rope_scaling": null})";

// Phi-3-mini-128k but for its lists, which are 1.5 and 2 here.
Json phi3() {
  Json config = Json::parse(kPlainPhi3);
  config["max_position_embeddings"] = 131072;
  config["rope_scaling"] = {{"type", "longrope"},
                            {"short_factor", std::vector<double>(48, 1.5)},
                            {"long_factor", std::vector<double>(48, 2.0)}};
  return config;
}

struct Suggestion {
  ExtensionSubject subject = {};
  ExtensionReport report = {};
  ExtensionCandidate chosen = {};
  Json snippet = {};
};

Suggestion suggested(const Json& config, Index to, std::string_view method = "") {
  Suggestion result;
  result.subject = extension_subject(model_of(config.dump()), to);
  result.report = compare_extensions(result.subject);
  const std::string wanted(method.empty() ? result.report.recommended : method);
  const auto found =
      std::ranges::find(result.report.candidates, wanted, &ExtensionCandidate::method);
  if (found == result.report.candidates.end()) {
    ADD_FAILURE() << "no row " << wanted;
    return result;
  }
  result.chosen = *found;
  result.snippet =
      extension_snippet(result.subject, result.chosen, spelling_of(result.subject.keys));
  return result;
}

// The config with the snippet pasted into it.
Model extended(Json config, const Suggestion& suggestion) {
  config.merge_patch(suggestion.snippet);
  return model_of(config.dump());
}

void expect_same_ladder(const RotaryOperator& found, const RotaryOperator& wanted) {
  ASSERT_EQ(found.inv_freq.size(), wanted.inv_freq.size());
  for (std::size_t i = 0; i < found.inv_freq.size(); ++i)
    EXPECT_NEAR(found.inv_freq[i].high, wanted.inv_freq[i].high, 1e-14 * wanted.inv_freq[i].high)
        << i;
  EXPECT_NEAR(to_double(found.magnitude), to_double(wanted.magnitude), 1e-14);
}

// max_position_embeddings of Gemma 3 is the length after scaling by 8, that of Vicuna 16k before.
TEST(ExtensionSubject, AsksForTheLengthBeforeLinearScaling) {
  const Model gemma = model_of(kGemma3);
  expect_error(ErrorCode::kUsage, "/text_config/rope_scaling/original_max_position_embeddings",
               [&] { extension_subject(gemma, 262144); });
  Json stated = Json::parse(kGemma3);
  stated["text_config"]["rope_scaling"]["original_max_position_embeddings"] = 16384;
  const Suggestion suggestion = suggested(stated, 262144);
  EXPECT_EQ(suggestion.subject.trained, 16384);
  EXPECT_EQ(suggestion.report.recommended, "linear");
  const Json& rule = suggestion.snippet["text_config"]["rope_scaling"];
  EXPECT_EQ(rule["factor"], 16.0);
  EXPECT_EQ(rule["original_max_position_embeddings"], 16384);
}

TEST(ExtensionSubject, TakesTheLengthThatDynamicCountsFrom) {
  Json config = Json::parse(kPlainPhi3);
  config["model_type"] = "llama";
  config.erase("original_max_position_embeddings");
  config["rope_scaling"] = {{"rope_type", "dynamic"}, {"factor", 2.0}};
  const Suggestion suggestion = suggested(config, 16384);
  EXPECT_EQ(suggestion.subject.trained, 4096);
  EXPECT_EQ(suggestion.report.recommended, "dynamic");
  EXPECT_EQ(suggestion.snippet["max_position_embeddings"], 4096);
  EXPECT_EQ(suggestion.snippet["rope_scaling"]["factor"], 4.0);
}

// (0.1 ln 64 + 1)^2 on the logits: mscale_all_dim must stay.
TEST(CompareExtensions, KeepsYarnAndItsKeys) {
  const Json config = Json::parse(kDeepSeekYarn);
  const Suggestion suggestion = suggested(config, 262144);
  EXPECT_EQ(suggestion.report.recommended, "yarn");
  EXPECT_NE(suggestion.report.reason.find("extended by yarn already"), std::string::npos);
  const Json& rule = suggestion.snippet["rope_scaling"];
  EXPECT_EQ(rule["factor"], 64.0);
  EXPECT_EQ(rule["beta_fast"], 32);
  EXPECT_EQ(rule["mscale_all_dim"], 1.0);
  const Model model = extended(config, suggestion);
  const RotaryOperator found = rotary_operator(model, model.groups.front());
  expect_same_ladder(found, suggestion.chosen.ladder);
  const double temperature = 1.0 + 0.1 * std::log(64.0);
  EXPECT_NEAR(to_double(found.softmax_factor), temperature * temperature, 1e-14);
}

TEST(CompareExtensions, KeepsTheRampOfLlama3) {
  Json config = Json::parse(kPlainPhi3);
  config["model_type"] = "llama";
  config["max_position_embeddings"] = 131072;
  config["rope_scaling"] = {{"rope_type", "llama3"},
                            {"factor", 32.0},
                            {"low_freq_factor", 2.0},
                            {"high_freq_factor", 8.0},
                            {"original_max_position_embeddings", 4096}};
  const Suggestion suggestion = suggested(config, 262144);
  EXPECT_EQ(suggestion.report.recommended, "llama3");
  EXPECT_EQ(suggestion.snippet["rope_scaling"]["high_freq_factor"], 8.0);
  const Model model = extended(config, suggestion);
  expect_same_ladder(rotary_operator(model, model.groups.front()), suggestion.chosen.ladder);
}

// Twice the longest length: pairs that do not complete a turn in 4096 positions are 96
// ln(4096 / 2 pi) / (2 ln 10000) = 33.8 and above. The magnitude is that of 262144 / 4096.
TEST(CompareExtensions, KeepsTheListsOfLongrope) {
  const Suggestion suggestion = suggested(phi3(), 262144);
  EXPECT_EQ(suggestion.report.recommended, "longrope");
  const Json& rule = suggestion.snippet["rope_scaling"];
  EXPECT_EQ(rule.size(), 3U) << "transformers 4 allows Phi 3 no other key";
  EXPECT_EQ(rule["type"], "longrope");
  EXPECT_EQ(rule["short_factor"], Json(std::vector<double>(48, 1.5)));
  EXPECT_EQ(rule["long_factor"][33], 2.0);
  EXPECT_EQ(rule["long_factor"][34], 4.0);
  const Model model = extended(phi3(), suggestion);
  const RotaryOperator found = rotary_operator(model, model.groups.front());
  expect_same_ladder(found, suggestion.chosen.ladder);
  EXPECT_NEAR(to_double(found.magnitude), std::sqrt(1.0 + std::log(64.0) / std::log(4096.0)),
              1e-14);
}

TEST(CompareExtensions, SuggestsWhatTheFamilyReads) {
  const Suggestion phi = suggested(Json::parse(kPlainPhi3), 16384);
  EXPECT_EQ(phi.report.recommended, "longrope");
  EXPECT_NE(phi.report.reason.find("family 'phi3'"), std::string::npos);
  Json deepseek = Json::parse(kDeepSeekYarn);
  deepseek["rope_scaling"] = nullptr;
  EXPECT_EQ(suggested(deepseek, 262144).report.recommended, "yarn");
  const Suggestion other = suggested(Json::parse(kPlainPhi3), 16384, "llama3");
  const auto remarks = extension_remarks(other.subject, other.chosen, ConfigSpelling::kV4);
  EXPECT_TRUE(std::ranges::any_of(remarks, [](const std::string& remark) {
    return remark.find("agree on no rule but longrope") != std::string::npos;
  }));
}

// GPT-J's sinusoids are those of base 10000, whatever its config says.
TEST(CompareExtensions, SaysThatAFamilyReadsNoRule) {
  const Json gptj = Json::parse(R"({"model_type": "gptj", "n_embd": 4096, "n_head": 16,
    "n_layer": 28, "n_positions": 2048, "rotary_dim": 64})");
  EXPECT_NE(suggested(gptj, 8192).report.reason.find("read no rule"), std::string::npos);
}

TEST(ExtensionSnippet, UsesTheKeysThatTheConfigHas) {
  const Json gptj = Json::parse(R"({"model_type": "gptj", "n_embd": 4096, "n_head": 16,
    "n_layer": 28, "n_positions": 2048, "rotary_dim": 64})");
  const Json short_gptj = suggested(gptj, 8192, "yarn").snippet;
  EXPECT_EQ(short_gptj["n_positions"], 8192);
  EXPECT_FALSE(short_gptj.contains("max_position_embeddings"));
  const Json modern = Json::parse(R"({"model_type": "modernbert", "hidden_size": 768,
    "num_attention_heads": 12, "num_hidden_layers": 22, "max_position_embeddings": 8192,
    "global_rope_theta": 160000.0, "local_rope_theta": 10000.0,
    "global_attn_every_n_layers": 3})");
  const Json longer = suggested(modern, 16384, "ntk").snippet;
  EXPECT_GT(longer["global_rope_theta"].get<double>(), 160000.0);
  EXPECT_FALSE(longer.contains("rope_theta"));
  const Json dbrx = Json::parse(R"({"model_type": "dbrx", "d_model": 6144, "n_heads": 48,
    "n_layers": 40, "max_seq_len": 32768, "attn_config": {"rope_theta": 500000}})");
  const Json snippet = suggested(dbrx, 65536, "ntk").snippet;
  EXPECT_EQ(snippet["max_seq_len"], 65536);
  EXPECT_GT(snippet["attn_config"]["rope_theta"].get<double>(), 500000.0);
  EXPECT_TRUE(snippet.contains("rope_scaling"));
}

// LLaVA 1.5 has its length in text_config, and no rope object.
TEST(ExtensionSnippet, StaysInTheTextPart) {
  const Json llava = Json::parse(R"({"model_type": "llava", "text_config": {
    "model_type": "llama", "max_position_embeddings": 4096, "vocab_size": 32064}})");
  const Json snippet = suggested(llava, 16384, "yarn").snippet;
  ASSERT_EQ(snippet.size(), 1U);
  EXPECT_EQ(snippet["text_config"]["max_position_embeddings"], 16384);
  EXPECT_EQ(snippet["text_config"]["rope_scaling"]["rope_type"], "yarn");
}

}  // namespace
}  // namespace sextant
