// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "io/gguf.h"
#include "support/expect_error.h"
#include "support/gguf_bytes.h"
#include "support/model_config.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

std::vector<GgufPair> llama_pairs() {
  return {gguf_text("general.architecture", "llama"), gguf_u32("llama.block_count", 2),
          gguf_u32("llama.context_length", 131072),   gguf_u32("llama.embedding_length", 64),
          gguf_u32("llama.attention.head_count", 8),  gguf_u32("llama.attention.head_count_kv", 2),
          gguf_u32("llama.rope.dimension_count", 8),  gguf_f32("llama.rope.freq_base", 500000.0F)};
}

class DescribeGguf : public testing::Test {
 protected:
  Model described(const std::vector<GgufPair>& pairs, const std::vector<GgufEntry>& tensors = {},
                  std::string_view data = "") const {
    return read_model(folder_.write("model.gguf", gguf_bytes(pairs, tensors, data)));
  }

  TemporaryDirectory folder_;
};

TEST_F(DescribeGguf, ReadsSizesThetaAndPairing) {
  const Model model = described(llama_pairs());
  EXPECT_EQ(model.family, "llama");
  EXPECT_TRUE(model.gguf);
  EXPECT_EQ(model.head_dim, 8);
  EXPECT_EQ(model.kv_heads, 2);
  EXPECT_EQ(model.max_positions, 131072);
  EXPECT_EQ(model.pairing, Pairing::kInterleaved);
  EXPECT_EQ(model.groups[0].layers, (std::vector<Index>{0, 1}));
  EXPECT_EQ(model.groups[0].rope.theta, 500000.0);
  EXPECT_TRUE(find_key(model, "llama.rope.freq_base")->consumed);
}

TEST_F(DescribeGguf, DividesByTheTensorOfDivisors) {
  std::string data;
  for (const float divisor : {1.0F, 2.0F, 4.0F, 8.0F}) data += raw(divisor);
  const Model model = described(llama_pairs(), {{"rope_freqs.weight", {4}, 0, 0}}, data);
  const RotaryOperator rotary = rotary_operator(model, model.groups[0], Engine::kLlamaCpp);
  for (std::size_t i = 0; i < 4; ++i) {
    const double wanted = std::pow(500000.0, -0.25 * static_cast<double>(i)) / std::pow(2.0, i);
    EXPECT_NEAR(rotary.inv_freq[i].high, wanted, 1e-15 * wanted) << i;
  }
  EXPECT_EQ(rotary.magnitude, DoubleDouble(1.0));
}

// attn_factor multiplies ggml's own 1 + 0.1 ln factor.
TEST_F(DescribeGguf, MultipliesTheLogTermOfYarn) {
  std::vector<GgufPair> pairs = llama_pairs();
  pairs.push_back(gguf_text("llama.rope.scaling.type", "yarn"));
  pairs.push_back(gguf_f32("llama.rope.scaling.factor", 4.0F));
  pairs.push_back(gguf_u32("llama.rope.scaling.original_context_length", 32768));
  const Model plain = described(pairs);
  const double log_term = 1.0 + 0.1 * std::log(4.0);
  EXPECT_NEAR(rotary_operator(plain, plain.groups[0], Engine::kLlamaCpp).magnitude.high, log_term,
              1e-15);
  pairs.push_back(gguf_f32("llama.rope.scaling.attn_factor", 0.5F));
  const Model halved = described(pairs);
  EXPECT_NEAR(rotary_operator(halved, halved.groups[0], Engine::kLlamaCpp).magnitude.high,
              0.5 * log_term, 1e-15);
}

// DeepSeek-V2-Lite: mscale_all_dim is 0.707, which the file holds as a tenth.
TEST_F(DescribeGguf, UndoesTheTenthOfTheLogMultiplier) {
  const Model model = described({gguf_text("general.architecture", "deepseek2"),
                                 gguf_u32("deepseek2.attention.kv_lora_rank", 512),
                                 gguf_u32("deepseek2.attention.key_length", 576),
                                 gguf_u32("deepseek2.rope.dimension_count", 64),
                                 gguf_text("deepseek2.rope.scaling.type", "yarn"),
                                 gguf_f32("deepseek2.rope.scaling.factor", 40.0F),
                                 gguf_u32("deepseek2.rope.scaling.original_context_length", 4096),
                                 gguf_f32("deepseek2.rope.scaling.yarn_log_multiplier", 0.0707F)});
  EXPECT_EQ(model.head_dim, 64);
  const RotaryOperator rotary = rotary_operator(model, model.groups[0], Engine::kLlamaCpp);
  const double root = 1.0 + 0.0707 * std::log(40.0);
  EXPECT_EQ(rotary.magnitude.high, 1.0);
  EXPECT_NEAR(rotary.softmax_factor.high, root * root, 1e-7);  // 0.0707 is a float in the file
}

TEST_F(DescribeGguf, LeavesAnAbsentThetaToTheEngine) {
  std::vector<GgufPair> pairs = llama_pairs();
  pairs.pop_back();
  const Model model = described(pairs);
  EXPECT_FALSE(model.groups[0].rope.theta);
  const RotaryOperator rotary = rotary_operator(model, model.groups[0], Engine::kLlamaCpp);
  EXPECT_NEAR(rotary.inv_freq[1].high, 0.1, 1e-16);
  EXPECT_EQ(rotary.assumptions, (std::vector<std::string>{"rope_theta is absent: 10000"}));
}

TEST_F(DescribeGguf, SeesTheTableOfALearnedModel) {
  const Model model =
      described({gguf_text("general.architecture", "gpt2"), gguf_u32("gpt2.block_count", 1)},
                {{"position_embd.weight", {2, 3}, 0, 0}}, std::string(24, '\0'));
  EXPECT_EQ(model.groups[0].kind, PositionKind::kLearned);
  EXPECT_EQ(model.table_rows, 3);
}

TEST_F(DescribeGguf, RefusesWhatItCannotMean) {
  expect_error(ErrorCode::kMalformed, "general.architecture is missing",
               [&] { described({gguf_u32("llama.block_count", 2)}); });
  std::vector<GgufPair> pairs = llama_pairs();
  pairs.push_back(gguf_text("llama.rope.scaling.type", "yam"));
  expect_error(ErrorCode::kMalformed, "llama.rope.scaling.type: unknown rope type 'yam'",
               [&] { described(pairs); });
  pairs.back() = gguf_text("llama.rope.scaling.factor", "4");
  expect_error(ErrorCode::kMalformed, "llama.rope.scaling.factor: must be a number",
               [&] { described(pairs); });
  pairs.pop_back();
  pairs[6] = gguf_u32("llama.rope.dimension_count", 16);
  expect_error(ErrorCode::kMalformed, "llama.rope.dimension_count", [&] { described(pairs); });
}

}  // namespace
}  // namespace sextant
