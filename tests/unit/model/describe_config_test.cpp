// SPDX-License-Identifier: Apache-2.0
// Configs are written here from the public parameters of the families.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/expect_error.h"
#include "support/model_config.h"

namespace sextant {
namespace {

TEST(DescribeConfig, ReadsSizesUnderTheirOlderNames) {
  const Model gpt2 = model_of(R"({"model_type":"gpt2","n_embd":768,"n_head":12,"n_layer":12,
      "n_positions":1024,"n_ctx":1024})");
  EXPECT_EQ(gpt2.hidden, 768);
  EXPECT_EQ(gpt2.head_dim, 64);
  EXPECT_EQ(gpt2.layers, 12);
  EXPECT_EQ(gpt2.max_positions, 1024);
  EXPECT_EQ(gpt2.groups.front().kind, PositionKind::kLearned);
  EXPECT_EQ(gpt2.groups.front().layers.size(), 12U);
}

TEST(DescribeConfig, TakesOldAndNewSpellingsForTheSame) {
  const Model old = model_of(R"({"model_type":"llama","hidden_size":4096,"num_attention_heads":32,
      "num_hidden_layers":32,"max_position_embeddings":131072,"rope_theta":500000.0,
      "rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,
      "high_freq_factor":4.0,"original_max_position_embeddings":8192}})");
  const Model now = model_of(R"({"model_type":"llama","hidden_size":4096,"num_attention_heads":32,
      "num_hidden_layers":32,"max_position_embeddings":131072,
      "rope_parameters":{"rope_theta":500000.0,"rope_type":"llama3","factor":8.0,
      "low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":8192}})");
  EXPECT_EQ(old.groups[0].rope.theta, 500000.0);
  EXPECT_EQ(now.groups[0].rope.theta, 500000.0);
  EXPECT_EQ(old.groups[0].rope.pointer, "/rope_scaling");
  EXPECT_EQ(now.groups[0].rope.pointer, "/rope_parameters");
  EXPECT_EQ(old.groups[0].rope.original, 8192.0);
  EXPECT_EQ(fingerprint(old), fingerprint(now));
}

TEST(DescribeConfig, LeavesAbsentKeysEmpty) {
  const Model model =
      model_of(R"({"model_type":"llama","hidden_size":64,"num_attention_heads":4})");
  EXPECT_FALSE(model.groups[0].rope.theta);
  EXPECT_FALSE(model.groups[0].rope.factor);
  EXPECT_FALSE(model.groups[0].rope.partial);
  EXPECT_TRUE(model.groups[0].layers.empty());
}

bool has_note(const Model& model, std::string_view part) {
  return std::any_of(model.notes.begin(), model.notes.end(),
                     [&](const std::string& note) { return note.find(part) != note.npos; });
}

// The defaults of Gemma3TextConfig and LlamaConfig; Gemma 3 4B and LLaVA 1.5 leave these keys out.
TEST(DescribeConfig, TakesAbsentSizesFromTheFamilyAndSaysSo) {
  const Model gemma = model_of(R"({"model_type":"gemma3","text_config":{"model_type":"gemma3_text",
      "hidden_size":2560,"num_hidden_layers":34,"sliding_window":1024}})");
  EXPECT_EQ(gemma.hidden, 2560);
  EXPECT_EQ(gemma.heads, 8);
  EXPECT_EQ(gemma.kv_heads, 4);
  EXPECT_EQ(gemma.head_dim, 256);
  EXPECT_TRUE(has_note(gemma, "head_dim is absent: 256, by the family"));
  EXPECT_FALSE(has_note(gemma, "hidden_size is absent"));
  const Model llava = model_of(R"({"model_type":"llava","text_config":{"model_type":"llama",
      "max_position_embeddings":4096,"vocab_size":32064}})");
  EXPECT_EQ(llava.hidden, 4096);
  EXPECT_EQ(llava.heads, 32);
  EXPECT_EQ(llava.kv_heads, 32);
  EXPECT_EQ(llava.head_dim, 128);
  EXPECT_TRUE(has_note(llava, "hidden_size is absent: 4096, by the family"));
}

TEST(DescribeConfig, KnowsNoSizesWithoutAFamily) {
  for (const char* json : {"{}", R"({"rope_theta":10000})", R"({"model_type":"newcomer"})"}) {
    EXPECT_EQ(model_of(json).head_dim, 0) << json;
    EXPECT_EQ(model_of(json).hidden, 0) << json;
  }
}

TEST(DescribeConfig, ReadsTheTextPartOfSeveralParts) {
  const Model model = model_of(R"({"model_type":"llava","rope_theta":7.0,"torch_dtype":"bfloat16",
      "text_config":{"model_type":"mistral","hidden_size":4096,"num_attention_heads":32,
      "rope_theta":1000000.0}})");
  EXPECT_EQ(model.family, "mistral");
  EXPECT_EQ(model.dtype, "bfloat16");
  EXPECT_EQ(model.groups[0].rope.theta, 1e6);
  ASSERT_NE(find_key(model, "/text_config/rope_theta"), nullptr);
  EXPECT_TRUE(find_key(model, "/text_config/rope_theta")->consumed);
  ASSERT_NE(find_key(model, "/rope_theta"), nullptr);
  EXPECT_FALSE(find_key(model, "/rope_theta")->consumed);
}

TEST(DescribeConfig, KnowsThePairingOfEachFamily) {
  for (const char* family : {"llama", "mistral", "qwen2", "gpt_neox", "gemma", "phi3", "gpt_oss"})
    EXPECT_EQ(model_of(std::string(R"({"model_type":")") + family + "\"}").pairing, Pairing::kHalf)
        << family;
  for (const char* family :
       {"gptj", "codegen", "cohere", "cohere2", "glm", "deepseek_v3", "llama4_text"})
    EXPECT_EQ(model_of(std::string(R"({"model_type":")") + family + "\"}").pairing,
              Pairing::kInterleaved)
        << family;
}

TEST(DescribeConfig, LetsTheFileStateThePairing) {
  const Model model = model_of(R"({"model_type":"deepseek_v3","rope_interleave":false})");
  EXPECT_EQ(model.pairing, Pairing::kHalf);
  EXPECT_TRUE(model.pairing_is_stated);
  EXPECT_FALSE(model_of(R"({"model_type":"deepseek_v3"})").pairing_is_stated);
}

TEST(DescribeConfig, TurnsRotaryDimIntoAFractionThatGivesItBack) {
  for (const Index part : {24, 32, 64, 80}) {
    const Model model = model_of(R"({"model_type":"gptj","n_embd":960,"n_head":12,"rotary_dim":)" +
                                 std::to_string(part) + "}");
    ASSERT_TRUE(model.groups[0].rope.partial) << part;
    EXPECT_EQ(rotary_operator(model, model.groups[0]).rotary_dim, part);
  }
}

TEST(DescribeConfig, KeepsTheRotatedPartOfLatentAttention) {
  const Model model = model_of(R"({"model_type":"deepseek_v3","hidden_size":7168,
      "num_attention_heads":128,"qk_rope_head_dim":64,"qk_nope_head_dim":128,"head_dim":56})");
  EXPECT_TRUE(model.latent_attention);
  EXPECT_EQ(model.head_dim, 64);
  EXPECT_FALSE(find_key(model, "/head_dim")->consumed);
}

TEST(DescribeConfig, ReadsBiases) {
  const Model bloom = model_of(R"({"model_type":"bloom","n_head":16,"hidden_size":1024})");
  EXPECT_EQ(group_spec(bloom, bloom.groups[0]), "alibi(heads=16)");
  const Model mpt = model_of(R"({"model_type":"mpt","d_model":4096,"n_heads":32,"n_layers":32,
      "max_seq_len":2048,"attn_config":{"alibi":true,"alibi_bias_max":16,"rope":false}})");
  EXPECT_EQ(mpt.alibi_bias_max, 16.0);
  EXPECT_EQ(group_spec(mpt, mpt.groups[0]), "alibi(heads=32,max_bias=16)");
  const Model turned = model_of(R"({"model_type":"mpt","d_model":4096,"n_heads":32,
      "attn_config":{"alibi":false,"rope":true,"rope_theta":500000}})");
  EXPECT_EQ(turned.groups[0].kind, PositionKind::kRotary);
  EXPECT_EQ(turned.groups[0].rope.theta, 500000.0);
  const Model falcon = model_of(R"({"model_type":"falcon","alibi":true,"num_attention_heads":64})");
  EXPECT_EQ(falcon.groups[0].kind, PositionKind::kAlibi);
  EXPECT_EQ(model_of(R"({"model_type":"falcon","alibi":false})").groups[0].kind,
            PositionKind::kRotary);
  const Model t5 = model_of(R"({"model_type":"t5","d_model":512,"num_heads":8,"d_kv":64,
      "relative_attention_num_buckets":16,"relative_attention_max_distance":64})");
  EXPECT_EQ(group_spec(t5, t5.groups[0]), "t5(buckets=16,distance=64)");
}

TEST(DescribeConfig, CountsTheRowsBeforePositionZero) {
  EXPECT_EQ(model_of(R"({"model_type":"opt"})").first_row, 2);
  EXPECT_EQ(model_of(R"({"model_type":"roberta","pad_token_id":1})").first_row, 2);
  EXPECT_EQ(model_of(R"({"model_type":"roberta","pad_token_id":3})").first_row, 4);
  EXPECT_EQ(model_of(R"({"model_type":"bert"})").first_row, 0);
  EXPECT_EQ(model_of(R"({"model_type":"vit","image_size":224,"patch_size":16})").max_positions,
            197);
}

TEST(DescribeConfig, ReadsAFamilyThatIsNotInTheTableByItsKeys) {
  const Model model = model_of(R"({"model_type":"newcomer","hidden_size":64,
      "num_attention_heads":4,"rope_theta":123.0})");
  EXPECT_EQ(model.groups[0].kind, PositionKind::kRotary);
  ASSERT_FALSE(model.notes.empty());
  EXPECT_NE(model.notes[0].find("not in the table"), std::string::npos);
  EXPECT_EQ(model_of("{}").groups[0].kind, PositionKind::kNone);
}

TEST(DescribeConfig, AcceptsNullAndDefault) {
  EXPECT_EQ(model_of(R"({"model_type":"llama","rope_scaling":null})").groups[0].rope.type,
            "default");
  EXPECT_TRUE(find_key(model_of(R"({"model_type":"llama","rope_scaling":null})"), "/rope_scaling")
                  ->consumed);
  EXPECT_EQ(model_of(R"({"model_type":"llama","rope_scaling":{"rope_type":"default"}})")
                .groups[0]
                .rope.type,
            "default");
  EXPECT_EQ(model_of(R"({"model_type":"phi3","rope_scaling":{"type":"su","short_factor":[1],
      "long_factor":[2]}})")
                .groups[0]
                .rope.type,
            "longrope");
}

TEST(DescribeConfig, NamesTheKeysThatItsTypeDoesNotRead) {
  const Model model = model_of(R"({"model_type":"llama","rope_scaling":{"type":"linear",
      "rope_type":"linear","factor":2,"beta_fast":32,"surprise":1}})");
  EXPECT_EQ(find_key(model, "/rope_scaling/beta_fast")->reason, "not read by linear");
  EXPECT_EQ(find_key(model, "/rope_scaling/surprise")->reason, "unknown");
  EXPECT_FALSE(find_key(model, "/rope_scaling/type")->consumed);
  EXPECT_TRUE(find_key(model, "/rope_scaling/factor")->consumed);
}

TEST(DescribeConfig, RefusesWrongTypesWithTheirPlace) {
  const auto refuses = [](std::string_view part, std::string_view json) {
    expect_error(ErrorCode::kMalformed, part, [&] { model_of(json); });
  };
  refuses("/max_position_embeddings", R"({"max_position_embeddings":"4096"})");
  refuses("/hidden_size", R"({"hidden_size":-1})");
  refuses("/num_attention_heads", R"({"num_attention_heads":3.5})");
  refuses("/num_attention_heads", R"({"num_attention_heads":1e300})");
  refuses("/rope_theta", R"({"rope_theta":[1]})");
  refuses("/rope_scaling", R"({"rope_scaling":"yarn"})");
  refuses("/rope_scaling/factor", R"({"rope_scaling":{"type":"yarn","factor":"4"}})");
  refuses("/rope_scaling/short_factor/1",
          R"({"rope_scaling":{"type":"su","short_factor":[1,"x"]}})");
  refuses("config.json", R"({"rope_theta":1e999})");
  refuses("document", "[]");
}

TEST(DescribeConfig, NamesUnknownTypesAndTheNearest) {
  expect_error(ErrorCode::kMalformed, "unknown rope type 'yarm' (did you mean 'yarn'?)",
               [] { model_of(R"({"rope_scaling":{"rope_type":"yarm"}})"); });
  expect_error(ErrorCode::kMalformed, "/position_embedding_type: 'relative_key' is recognised",
               [] { model_of(R"({"position_embedding_type":"relative_key"})"); });
  expect_error(ErrorCode::kMalformed, "deberta-v2",
               [] { model_of(R"({"model_type":"deberta-v2"})"); });
  expect_error(ErrorCode::kMalformed, "/rope_scaling/alpha",
               [] { model_of(R"({"rope_scaling":{"type":"dynamic","alpha":1000}})"); });
}

// Their files carry the key of a parent class, and their programs do not read it.
TEST(DescribeConfig, DoesNotTakeAnUnreadTypeForTheEncoding) {
  const Model modern = model_of(
      R"({"model_type":"modernbert","position_embedding_type":"absolute","num_hidden_layers":3})");
  EXPECT_EQ(modern.groups[0].kind, PositionKind::kRotary);
  EXPECT_EQ(find_key(modern, "/position_embedding_type")->reason, "not read by modernbert");
  EXPECT_EQ(
      model_of(R"({"model_type":"cohere","position_embedding_type":"rope_gptj"})").groups[0].kind,
      PositionKind::kRotary);
  EXPECT_EQ(model_of(R"({"model_type":"esm","position_embedding_type":"absolute"})").groups[0].kind,
            PositionKind::kLearned);
  EXPECT_EQ(model_of(R"({"model_type":"granitemoehybrid","position_embedding_type":"rope"})")
                .groups[0]
                .kind,
            PositionKind::kRotary);
}

TEST(DescribeConfig, BoundsTheNumberOfLayers) {
  EXPECT_EQ(model_of(R"({"num_attention_heads":2147483648})").heads, Index{1} << 31);
  expect_error(ErrorCode::kRefused, "layers",
               [] { model_of(R"({"model_type":"llama","num_hidden_layers":2147483648})"); });
  expect_error(ErrorCode::kRefused, "layers",
               [] { model_of(R"({"model_type":"bert","num_hidden_layers":100001})"); });
}

}  // namespace
}  // namespace sextant
