// SPDX-License-Identifier: Apache-2.0
// Frequencies are computed here from the formulas in long double; constants with few digits are
// those that the papers and spec sheets print, to half a unit of their last digit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/expect_error.h"
#include "support/model_config.h"

namespace sextant {
namespace {

constexpr double kRounding = 4e-16;  // of a double, twice

RotaryOperator first_operator(const Model& model, Engine engine = Engine::kHuggingFace,
                              Index length = 0) {
  return rotary_operator(model, model.groups.front(), engine, length);
}

void expect_near(const RotaryOperator& rotary, const std::vector<long double>& expected) {
  ASSERT_EQ(rotary.inv_freq.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto wanted = static_cast<double>(expected[i]);
    EXPECT_NEAR(rotary.inv_freq[i].high, wanted, kRounding * wanted) << i;
  }
}

constexpr char kLlama31[] = R"({"model_type":"llama","hidden_size":4096,"num_attention_heads":32,
    "max_position_embeddings":131072,"rope_theta":500000,"rope_scaling":{"rope_type":"llama3",
    "factor":8,"low_freq_factor":1,"high_freq_factor":4,
    "original_max_position_embeddings":8192}})";
constexpr char kQwenYarn[] = R"({"model_type":"qwen2","hidden_size":3584,"num_attention_heads":28,
    "max_position_embeddings":131072,"rope_theta":1000000,"rope_scaling":{"type":"yarn",
    "factor":4,"original_max_position_embeddings":32768}})";
constexpr char kGptOss[] = R"({"model_type":"gpt_oss","head_dim":64,"hidden_size":2880,
    "num_attention_heads":64,"max_position_embeddings":131072,"rope_theta":150000,
    "rope_scaling":{"rope_type":"yarn","factor":32,"beta_fast":32,"beta_slow":1,
    "truncate":false,"original_max_position_embeddings":4096}})";
constexpr char kDeepSeek[] = R"({"model_type":"deepseek_v3","hidden_size":7168,
    "num_attention_heads":128,"qk_rope_head_dim":64,"max_position_embeddings":163840,
    "rope_theta":10000,"rope_scaling":{"type":"yarn","factor":40,"beta_fast":32,"beta_slow":1,
    "mscale":1.0,"mscale_all_dim":1.0,"original_max_position_embeddings":4096}})";

// A YaRN ladder from its ramp.
std::vector<long double> yarn_ladder(long double theta, int dim, long double factor,
                                     long double low, long double high) {
  std::vector<long double> ladder = plain_ladder(theta, dim);
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    const long double ramp =
        std::clamp((static_cast<long double>(i) - low) / (high - low), 0.0L, 1.0L);
    ladder[i] = ladder[i] / factor * ramp + ladder[i] * (1.0L - ramp);
  }
  return ladder;
}

TEST(RotaryOperator, DividesTheSlowPairsOfLlama31) {
  const RotaryOperator rotary = first_operator(model_of(kLlama31));
  const std::vector<long double> plain = plain_ladder(500000.0L, 128);
  const double divisors[] = {1.207484, 1.553415, 2.026313, 2.694530, 3.684253, 5.257327};
  ASSERT_EQ(rotary.inv_freq.size(), 64U);
  for (std::size_t i = 0; i < 64; ++i) {
    const double wanted = i < 29 ? 1.0 : i < 35 ? divisors[i - 29] : 8.0;
    EXPECT_NEAR(static_cast<double>(plain[i]) / rotary.inv_freq[i].high, wanted, 6e-7) << i;
  }
  EXPECT_EQ(rotary.magnitude, DoubleDouble(1.0));
  EXPECT_EQ(rotary.spec, "rope(base=500000,scaling=llama3,factor=8,original=8192)");
  EXPECT_TRUE(rotary.assumptions.empty());
}

TEST(RotaryOperator, RampsTheYarnOfQwenFrom23To40) {
  const RotaryOperator rotary = first_operator(model_of(kQwenYarn));
  expect_near(rotary, yarn_ladder(1e6L, 128, 4.0L, 23.0L, 40.0L));
  EXPECT_NEAR(rotary.magnitude.high, 1.138629, 5e-7);
}

// Kimi K2: equal betas. 64 ln(4096/2pi) / (2 ln 50000) = 19.16: a step between pairs 19 and 20.
TEST(RotaryOperator, TakesEqualBetasAsAStep) {
  const Model model = model_of(R"({"model_type": "kimi_k2", "qk_rope_head_dim": 64,
      "kv_lora_rank": 512, "max_position_embeddings": 131072, "rope_theta": 50000.0,
      "rope_scaling": {"type": "yarn", "factor": 32.0, "beta_fast": 1.0, "beta_slow": 1.0,
                       "mscale": 1.0, "mscale_all_dim": 1.0,
                       "original_max_position_embeddings": 4096}})");
  expect_near(first_operator(model), yarn_ladder(50000.0L, 64, 32.0L, 19.0L, 20.0L));
}

TEST(RotaryOperator, DoesNotRoundTheRampOfGptOss) {
  const Model model = model_of(kGptOss);
  const long double two_pi = 2.0L * std::acos(-1.0L);
  const auto boundary = [&](long double turns) {
    return 64.0L * std::log(4096.0L / (two_pi * turns)) / (2.0L * std::log(150000.0L));
  };
  EXPECT_NEAR(static_cast<double>(boundary(32.0L)), 8.0928, 5e-5);
  EXPECT_NEAR(static_cast<double>(boundary(1.0L)), 17.3980, 5e-5);
  expect_near(first_operator(model),
              yarn_ladder(150000.0L, 64, 32.0L, boundary(32.0L), boundary(1.0L)));
  EXPECT_NEAR(first_operator(model).magnitude.high, 1.346574, 5e-7);
  // ggml rounds outwards whatever the file says.
  expect_near(first_operator(model, Engine::kLlamaCpp),
              yarn_ladder(150000.0L, 64, 32.0L, 8.0L, 18.0L));
}

TEST(RotaryOperator, MovesTheMagnitudeOfDeepSeekToTheSoftmax) {
  const double temperature = 1.0 + 0.1 * std::log(40.0);
  for (const Engine engine : kEngines) {
    const RotaryOperator rotary = first_operator(model_of(kDeepSeek), engine);
    EXPECT_EQ(rotary.magnitude.high, 1.0) << name(engine);
    EXPECT_NEAR(rotary.softmax_factor.high, temperature * temperature, 1e-15) << name(engine);
    EXPECT_EQ(rotary.head_dim, 64) << name(engine);
    EXPECT_EQ(rotary.pairing, Pairing::kInterleaved) << name(engine);
  }
}

std::string phi3(std::string_view beside) {
  std::string ones = "1.0", twos = "2.0";
  for (int i = 1; i < 48; ++i) {
    ones += ",1.0";
    twos += ",2.0";
  }
  return R"({"model_type":"phi3","hidden_size":3072,"num_attention_heads":32,
      "max_position_embeddings":131072,"original_max_position_embeddings":4096,
      "rope_theta":10000,"rope_scaling":{"type":"longrope","short_factor":[)" +
         ones + R"(],"long_factor":[)" + twos + "]" + std::string(beside) + "}}";
}

TEST(RotaryOperator, ChoosesTheListOfLongRopeByLength) {
  const Model model = model_of(phi3(""));
  const RotaryOperator far = first_operator(model),
                       near = first_operator(model, Engine::kHuggingFace, 4096);
  const std::vector<long double> plain = plain_ladder(10000.0L, 96);
  std::vector<long double> halved = plain;
  for (long double& frequency : halved) frequency /= 2.0L;
  expect_near(near, plain);
  expect_near(far, halved);
  EXPECT_NEAR(far.magnitude.high, 1.1902380714, 5e-11);
  EXPECT_EQ(near.magnitude, far.magnitude);
}

TEST(RotaryOperator, DiffersBetweenEnginesOnAnExplicitAttentionFactor) {
  const Model model = model_of(R"({"model_type":"llama","head_dim":64,
      "max_position_embeddings":65536,"rope_scaling":{"rope_type":"yarn","factor":64,
      "attention_factor":1.0,"original_max_position_embeddings":1024}})");
  EXPECT_EQ(first_operator(model).magnitude.high, 1.0);
  EXPECT_NEAR(first_operator(model, Engine::kVllm).magnitude.high, 1.415888, 5e-7);
  EXPECT_NEAR(first_operator(model, Engine::kLlamaCpp).magnitude.high, 1.415888, 5e-7);
  EXPECT_FALSE(first_operator(model, Engine::kVllm).assumptions.empty());
}

TEST(RotaryOperator, ReadsMscaleInTransformersOnly) {
  const Model model = model_of(R"({"model_type":"llama","head_dim":64,
      "rope_scaling":{"rope_type":"yarn","factor":16,"mscale":1.0,"mscale_all_dim":1.0,
      "original_max_position_embeddings":1024}})");
  EXPECT_EQ(first_operator(model).magnitude.high, 1.0);
  EXPECT_NEAR(first_operator(model, Engine::kVllm).magnitude.high, 1.277259, 5e-7);
  EXPECT_EQ(first_operator(model).softmax_factor, DoubleDouble(1.0));
}

// base * (f L/M - (f-1))^(d/(d-2)); vLLM takes L = f M once and for all, llama.cpp has no such
// rule.
TEST(RotaryOperator, StretchesDynamicByLengthInTransformersOnly) {
  const Model model = model_of(R"({"model_type":"llama","head_dim":128,
      "max_position_embeddings":2048,"rope_scaling":{"type":"dynamic","factor":10}})");
  const RotaryOperator grown = first_operator(model, Engine::kHuggingFace, 16384);
  EXPECT_NEAR(grown.inv_freq[1].high, 0.809310075, 5e-10);
  EXPECT_NEAR(grown.inv_freq[63].high, 1.6264535e-6, 5e-14);
  const std::vector<long double> plain = plain_ladder(10000.0L, 128);
  expect_near(first_operator(model), plain);
  expect_near(first_operator(model, Engine::kLlamaCpp, 16384), plain);
  const long double base = 10000.0L * std::pow(91.0L, 128.0L / 126.0L);
  expect_near(first_operator(model, Engine::kVllm, 4096), plain_ladder(base, 128));
}

// Llama 4 Scout has both at 1: wavelengths above the original length are divided, others are kept.
TEST(RotaryOperator, TakesEqualFrequencyFactorsForAStep) {
  const Model model = model_of(R"({"model_type":"llama4_text","head_dim":128,
      "rope_theta":500000,"rope_scaling":{"rope_type":"llama3","factor":16,"low_freq_factor":1,
      "high_freq_factor":1,"original_max_position_embeddings":8192}})");
  std::vector<long double> ladder = plain_ladder(500000.0L, 128);
  for (long double& frequency : ladder)
    if (2.0L * std::acos(-1.0L) / frequency > 8192.0L) frequency /= 16.0L;
  expect_near(first_operator(model), ladder);
}

// (base f)^(-2i/d) f^(-2/d).
TEST(RotaryOperator, SlowsEveryPairUnderTheNtkOfVllm) {
  const Model model = model_of(R"({"model_type":"llama","head_dim":8,
      "rope_scaling":{"type":"ntk","factor":4}})");
  std::vector<long double> ladder = plain_ladder(40000.0L, 8);
  for (long double& frequency : ladder) frequency *= std::pow(4.0L, -0.25L);
  expect_near(first_operator(model, Engine::kVllm), ladder);
  EXPECT_EQ(first_operator(model).inv_freq[0].high, 1.0);
}

TEST(RotaryOperator, FillsGapsAndSaysSo) {
  const Model model = model_of(R"({"model_type":"gpt_neox","hidden_size":6144,
      "num_attention_heads":64})");
  const RotaryOperator rotary = first_operator(model);
  EXPECT_EQ(rotary.rotary_dim, 24);
  EXPECT_EQ(rotary.assumptions.size(), 2U);
  expect_near(rotary, plain_ladder(10000.0L, 24));
}

TEST(RotaryOperator, PutsGemmasScalingWhereItBelongs) {
  const Model model = model_of(R"({"model_type":"gemma3_text","num_hidden_layers":6,
      "head_dim":256,"rope_scaling":{"rope_type":"linear","factor":8}})");
  std::vector<long double> global = plain_ladder(1e6L, 256);
  for (long double& frequency : global) frequency /= 8.0L;
  for (const LayerGroup& group : model.groups)
    expect_near(rotary_operator(model, group),
                group.name == "full_attention" ? global : plain_ladder(1e4L, 256));
}

TEST(RotaryOperator, NamesWhatIsMissing) {
  const auto fails = [](std::string_view part, std::string_view json) {
    const Model model = model_of(json);
    expect_error(ErrorCode::kUsage, part, [&] { first_operator(model); });
  };
  fails("/rope_scaling/factor is missing",
        R"({"model_type":"llama","head_dim":64,"rope_scaling":{"type":"linear"}})");
  fails("head_dim is unknown", R"({"model_type":"newcomer","rope_theta":10000})");
  fails("head_dim is unknown", R"({"rope_theta":10000})");
  fails("head_dim must be even", R"({"model_type":"llama","head_dim":65})");
  fails("factor", R"({"model_type":"llama","head_dim":64,
      "rope_scaling":{"type":"linear","factor":-1}})");
  fails("short_factor", R"({"model_type":"llama","head_dim":64,"max_position_embeddings":8,
      "rope_scaling":{"type":"longrope","factor":2,"long_factor":[1]}})");
}

TEST(Fingerprint, FollowsTheOperatorAndNotItsSpelling) {
  const std::string plain = fingerprint(
      model_of(R"({"model_type":"llama","head_dim":64,"num_hidden_layers":2,"rope_theta":10000})"));
  EXPECT_EQ(plain.size(), 16U);
  EXPECT_EQ(
      plain,
      fingerprint(model_of(
          R"({"model_type":"qwen2","head_dim":64,"num_hidden_layers":2,"rope_scaling":null})")));
  EXPECT_EQ(
      plain,
      fingerprint(model_of(
          R"({"model_type":"llama","hidden_size":256,"num_attention_heads":4,"num_hidden_layers":2})")));
  EXPECT_NE(
      plain,
      fingerprint(model_of(
          R"({"model_type":"llama","head_dim":64,"num_hidden_layers":3,"rope_theta":10000})")));
  EXPECT_NE(
      plain,
      fingerprint(model_of(
          R"({"model_type":"llama","head_dim":64,"num_hidden_layers":2,"rope_theta":10001})")));
  EXPECT_NE(
      plain,
      fingerprint(model_of(
          R"({"model_type":"cohere","head_dim":64,"num_hidden_layers":2,"rope_theta":10000})")));
}

}  // namespace
}  // namespace sextant
