// SPDX-License-Identifier: Apache-2.0
#include "model/model_files.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/gguf_bytes.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

// One f32 tensor of zeros.
std::string safetensors_bytes(const std::string& name, int rows, int columns) {
  const int bytes = 4 * rows * columns;
  std::string header = "{\"" + name + R"(":{"dtype":"F32","shape":[)" + std::to_string(rows) + "," +
                       std::to_string(columns) + R"(],"data_offsets":[0,)" + std::to_string(bytes) +
                       "]}}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return raw<std::uint64_t>(header.size()) + header +
         std::string(static_cast<std::size_t>(bytes), '\0');
}

TEST(ModelFiles, OpensAFolderWithAllThatIsInIt) {
  const TemporaryDirectory folder;
  folder.write("config.json", R"({"model_type":"gpt2","n_embd":2,"n_head":1})");
  folder.write("tokenizer_config.json", R"({"model_max_length":1024})");
  folder.write("vocab.json", "{}");
  folder.write("model.safetensors", safetensors_bytes("transformer.wpe.weight", 3, 2));
  const ModelFiles files = open_model(folder.path());
  EXPECT_TRUE(files.config.has_value());
  EXPECT_TRUE(files.tokenizer_config.has_value());
  EXPECT_TRUE(files.vocabulary.has_value());
  EXPECT_EQ(files.tensors.size(), 1U);
  EXPECT_EQ(describe(files).table_rows, 3);
  EXPECT_TRUE(open_model(folder.path(), true).tensors.empty());
  EXPECT_EQ(open_model(folder / "config.json").tensors.size(), 1U);
}

TEST(ModelFiles, PrefersTheConfigToTheGgufBesideIt) {
  const TemporaryDirectory folder;
  const std::string gguf = gguf_bytes({gguf_text("general.architecture", "qwen2")}, {}, "");
  folder.write("a.gguf", gguf);
  EXPECT_EQ(read_model(folder.path()).family, "qwen2");
  folder.write("b.gguf", gguf);
  expect_error(ErrorCode::kUsage, "2 .gguf files", [&] { open_model(folder.path()); });
  folder.write("config.json", R"({"model_type":"llama"})");
  EXPECT_EQ(read_model(folder.path()).family, "llama");
}

TEST(ModelFiles, SaysWhatIsWrong) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kUsage, "config.json or a .gguf", [&] { open_model(folder.path()); });
  expect_error(ErrorCode::kUnreadable, "none.json", [&] { open_model(folder / "none.json"); });
  expect_error(ErrorCode::kMalformed, "pytorch_model.bin",
               [&] { open_model(folder.write("pytorch_model.bin", "PK")); });
  expect_error(ErrorCode::kMalformed,
               "config.json:1:", [&] { open_model(folder.write("config.json", "nothing")); });
  expect_error(ErrorCode::kRefused, "config.json",
               [&] { open_model(folder.write("config.json", std::string((4U << 20U) + 1, ' '))); });
}

}  // namespace
}  // namespace sextant
