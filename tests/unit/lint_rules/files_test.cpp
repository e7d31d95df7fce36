// SPDX-License-Identifier: Apache-2.0
// Rules on what lies beside a config: weights, tokenizers, vocabularies, GGUF files. Each test
// writes a folder in which one thing is wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "base/rounding.h"
#include "io/safetensors.h"
#include "support/gguf_bytes.h"
#include "support/lint_configs.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

constexpr char kLlama[] = R"({"model_type": "llama", "hidden_size": 32, "num_hidden_layers": 2,
  "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 4096,
  "rope_theta": 10000.0, "vocab_size": 4, "bos_token_id": 1})";
constexpr Index kPairs = 4;

// The findings that are no notes, as "R18 " each; `detail` has their texts.
struct Gravest {
  std::string rules, detail;
};
Gravest gravest(const std::filesystem::path& folder) {
  const std::vector<LintFinding> findings = lint(open_model(folder));
  Gravest result;
  for (const LintFinding& finding : findings)
    if (finding.severity != Severity::kNote) result.rules += finding.rule + " ";
  result.detail = findings_text(findings, Severity::kWarning);
  return result;
}

std::string zeros(std::size_t floats) { return std::string(4 * floats, '\0'); }

std::string weights(const std::vector<TensorHeader>& tensors, const std::string& data) {
  return safetensors_header(tensors) + data;
}

std::string projections(Index query_rows, Index key_rows) {
  return weights({{"model.layers.0.self_attn.q_proj.weight", "F32", {query_rows, 32}},
                  {"model.layers.0.self_attn.k_proj.weight", "F32", {key_rows, 32}}},
                 zeros(static_cast<std::size_t>(32 * (query_rows + key_rows))));
}

TEST(ProjectionRows, FitHeadsAndHeadDim) {
  const TemporaryDirectory folder;
  folder.write("config.json", kLlama);
  folder.write("model.safetensors", projections(32, 16));
  EXPECT_EQ(gravest(folder.path()).rules, "");
  folder.write("model.safetensors", projections(64, 16));
  const Gravest query = gravest(folder.path());
  EXPECT_EQ(query.rules, "R18 ");
  EXPECT_NE(query.detail.find("q_proj.weight: the tensor has 64 rows"), std::string::npos)
      << query.detail;
  folder.write("model.safetensors", projections(32, 32));
  EXPECT_EQ(gravest(folder.path()).rules, "R18 ");
}

// theta^(-2i/8), rounded as `store` says.
template <typename Store>
std::string frequencies(double theta, const Store& store) {
  std::string data;
  for (Index i = 0; i < kPairs; ++i)
    data += store(std::pow(theta, -2.0 * static_cast<double>(i) / 8.0));
  return data;
}
std::string as_float(double value) { return raw(static_cast<float>(value)); }
std::string as_bfloat16(double value) { return raw(to_bfloat16(value)); }

std::string stored(const std::string& dtype, const std::string& data) {
  return weights({{"model.layers.1.self_attn.rotary_emb.inv_freq", dtype, {kPairs}}}, data);
}

TEST(StoredFrequencies, AreThoseOfTheFormula) {
  const TemporaryDirectory folder;
  folder.write("config.json", kLlama);
  folder.write("model.safetensors", stored("F32", frequencies(10000.0, as_float)));
  EXPECT_EQ(gravest(folder.path()).rules, "");
  folder.write("model.safetensors", stored("F32", frequencies(500000.0, as_float)));
  const Gravest other = gravest(folder.path());
  EXPECT_EQ(other.rules, "R41 ");
  EXPECT_NE(other.detail.find("first at index 1"), std::string::npos) << other.detail;
  folder.write("model.safetensors", stored("BF16", frequencies(10000.0, as_bfloat16)));
  const Gravest cast = gravest(folder.path());
  EXPECT_EQ(cast.rules, "R41 ");
  EXPECT_NE(cast.detail.find("rounded to bfloat16"), std::string::npos) << cast.detail;
  folder.write("model.safetensors",
               stored("F32", frequencies(10000.0, [](double) { return raw(std::nanf("")); })));
  EXPECT_NE(gravest(folder.path()).detail.find("uninitialised"), std::string::npos);
}

constexpr char kRoberta[] = R"({"model_type": "roberta", "hidden_size": 8, "num_hidden_layers": 1,
  "num_attention_heads": 2, "max_position_embeddings": 514, "pad_token_id": 1})";

TEST(LearnedRows, ServeWhatTheTokenizerLetsThrough) {
  const TemporaryDirectory folder;
  folder.write("config.json", kRoberta);
  folder.write("tokenizer_config.json", R"({"model_max_length": 512})");
  EXPECT_EQ(gravest(folder.path()).rules, "");
  folder.write("tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  EXPECT_EQ(gravest(folder.path()).rules, "") << "the sentinel is no limit";
  folder.write("tokenizer_config.json", R"({"model_max_length": 514})");
  const Gravest found = gravest(folder.path());
  EXPECT_EQ(found.rules, "R40 ");
  EXPECT_NE(found.detail.find("position 512 reads beyond"), std::string::npos) << found.detail;
}

TEST(LearnedRows, AreThoseOfTheConfig) {
  const auto table = [](Index rows) {
    return weights({{"roberta.embeddings.position_embeddings.weight", "F32", {rows, 8}}},
                   zeros(static_cast<std::size_t>(8 * rows)));
  };
  const TemporaryDirectory folder;
  folder.write("config.json", kRoberta);
  folder.write("model.safetensors", table(514));
  EXPECT_EQ(gravest(folder.path()).rules, "");
  folder.write("model.safetensors", table(512));
  EXPECT_EQ(gravest(folder.path()).rules, "R40 ");
}

// OPT counts positions, not rows: 2 rows come before position 0.
TEST(LearnedRows, KnowsFamiliesWithRowsBeforePositionZero) {
  const TemporaryDirectory folder;
  folder.write("config.json", R"({"model_type": "opt", "hidden_size": 8, "num_hidden_layers": 1,
    "num_attention_heads": 2, "max_position_embeddings": 16})");
  folder.write("tokenizer_config.json", R"({"model_max_length": 16})");
  folder.write("model.safetensors",
               weights({{"model.decoder.embed_positions.weight", "F32", {18, 8}}}, zeros(18 * 8)));
  const Gravest found = gravest(folder.path());
  EXPECT_EQ(found.rules, "") << found.detail;
}

std::string gguf_of(float theta, std::uint32_t context) {
  return gguf_bytes(
      {gguf_text("general.architecture", "llama"), gguf_u32("llama.context_length", context),
       gguf_u32("llama.embedding_length", 32), gguf_u32("llama.block_count", 2),
       gguf_u32("llama.attention.head_count", 4), gguf_u32("llama.attention.head_count_kv", 2),
       gguf_u32("llama.rope.dimension_count", 8), gguf_f32("llama.rope.freq_base", theta)},
      {}, "");
}

TEST(GgufAndConfig, Agree) {
  const TemporaryDirectory folder;
  folder.write("config.json", kLlama);
  folder.write("model.gguf", gguf_of(10000.0F, 4096));
  EXPECT_EQ(gravest(folder.path()).rules, "");
  folder.write("model.gguf", gguf_of(1000000.0F, 4096));
  const Gravest theta = gravest(folder.path());
  EXPECT_EQ(theta.rules, "R42 ");
  EXPECT_NE(theta.detail.find("llama.rope.freq_base"), std::string::npos) << theta.detail;
  folder.write("model.gguf", gguf_of(10000.0F, 8192));
  EXPECT_NE(gravest(folder.path()).detail.find("llama.context_length"), std::string::npos);
}

// JSON has no NaN, float32 of GGUF has.
// A key that nothing reads lies in no object, unlike those of config.json.
TEST(GgufAlone, NamesARotaryKeyThatNothingReads) {
  const TemporaryDirectory folder;
  const auto path = folder.write(
      "model.gguf",
      gguf_bytes(
          {gguf_text("general.architecture", "llama"), gguf_u32("llama.context_length", 4096),
           gguf_u32("llama.embedding_length", 32), gguf_u32("llama.block_count", 2),
           gguf_u32("llama.attention.head_count", 4), gguf_f32("llama.rope.new_thing", 2.0F)},
          {}, ""));
  const Gravest found = gravest(path);
  EXPECT_EQ(found.rules, "R05 ");
  EXPECT_NE(found.detail.find("llama.rope.new_thing"), std::string::npos) << found.detail;
}

TEST(GgufAlone, IsJudgedOrRefusedWhicheverByteIsWrong) {
  const TemporaryDirectory folder;
  const std::string whole = gguf_of(10000.0F, 4096);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xFF}) {
      std::string bytes = whole;
      bytes[i] = static_cast<char>(bytes[i] ^ mask);
      const auto path = folder.write("model.gguf", bytes);
      try {
        lint(open_model(path));
      } catch (const Error& error) {  // anything else ends the test
        EXPECT_NE(error.code(), ErrorCode::kInternal) << "byte " << i << ": " << error.what();
      }
    }
  }
}

TEST(GgufAlone, IsJudgedByItsKeys) {
  const TemporaryDirectory folder;
  folder.write(
      "model.gguf",
      gguf_bytes(
          {gguf_text("general.architecture", "llama"), gguf_u32("llama.context_length", 4096),
           gguf_u32("llama.embedding_length", 32), gguf_u32("llama.block_count", 2),
           gguf_u32("llama.attention.head_count", 4), gguf_text("llama.rope.scaling.type", "yarn"),
           gguf_f32("llama.rope.scaling.factor", std::nanf("")),
           gguf_f32("llama.rope.scaling.attn_factor", -1.0F)},
          {}, ""));
  const Gravest found = gravest(folder / "model.gguf");
  EXPECT_EQ(found.rules, "R08 R13 ") << found.detail;
  for (const char* key : {"llama.rope.scaling.factor: ", "llama.rope.scaling.attn_factor: "})
    EXPECT_NE(found.detail.find(key), std::string::npos) << found.detail;
}

TEST(Vocabulary, HasOneTokenPerLine) {
  const TemporaryDirectory folder;
  folder.write("config.json", kLlama);
  const auto rules_of = [&](std::string_view text) {
    folder.write("vocab.txt", text);
    return gravest(folder.path()).rules;
  };
  EXPECT_EQ(rules_of("a\nb\nc\nd\n"), "");
  EXPECT_EQ(rules_of("a\nb\nc\nd"), "");
  EXPECT_EQ(rules_of("\xEF\xBB\xBFhello\nb\nc\nd\n"), "R44 ");
  EXPECT_EQ(rules_of("a\r\nb\r\nc\r\nd\r\n"), "R44 ");
  EXPECT_EQ(rules_of("a\n\nb\nc\n"), "R44 ");
  EXPECT_EQ(rules_of("a\nb\na\nd\n"), "R44 ");
}

TEST(Vocabulary, HasContiguousIdsThatHoldTheSpecialOnes) {
  const TemporaryDirectory folder;
  folder.write("config.json", kLlama);
  folder.write("vocab.json", R"({"a": 0, "b": 1, "c": 2, "d": 3})");
  EXPECT_EQ(gravest(folder.path()).rules, "");
  folder.write("vocab.json", R"({"a": 0, "b": 1, "c": 3, "d": 4})");
  EXPECT_EQ(gravest(folder.path()).rules, "R44 ");
  folder.write("vocab.json", R"({"a": 0, "b": 1, "c": 1, "d": 2})");
  EXPECT_EQ(gravest(folder.path()).rules, "R44 ");
  std::string config = kLlama;
  config.replace(config.find("\"bos_token_id\": 1"), 17, "\"bos_token_id\": 4");
  folder.write("config.json", config);
  folder.write("vocab.json", R"({"a": 0, "b": 1, "c": 2, "d": 3})");
  EXPECT_EQ(gravest(folder.path()).rules, "R44 ");
}

}  // namespace
}  // namespace sextant
