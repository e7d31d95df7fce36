// SPDX-License-Identifier: Apache-2.0
#include "model/table_file.h"

#include <gtest/gtest.h>

#include "io/safetensors.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

// Two tensors of f32: wpe [2, 3] with 0, 1, ... 5, and a vector.
std::string two_tensors() {
  const TensorHeader tensors[] = {{"wpe", "F32", {2, 3}}, {"bias", "F32", {2}}};
  std::string bytes = safetensors_header(tensors);
  for (int k = 0; k < 8; ++k) {
    const auto value = static_cast<float>(k);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return bytes;
}

TEST(NamesTable, KnowsTablesFromModels) {
  const TemporaryDirectory folder;
  const std::string model = folder.path().string();
  for (const std::string& table :
       {std::string("a/b.npy"), std::string("m.safetensors"), std::string("m.safetensors#wpe"),
        std::string("m.gguf#position_embd.weight"), model + "#wpe"}) {
    EXPECT_TRUE(names_table(table)) << table;
  }
  for (const std::string& other :
       {std::string("config.json"), std::string("m.gguf"), model, std::string("")}) {
    EXPECT_FALSE(names_table(other)) << other;
  }
}

TEST(NamesTable, AFolderWithAHashInItsNameIsAModel) {
  const TemporaryDirectory folder;
  const std::filesystem::path odd = folder / "model#2";
  std::filesystem::create_directory(odd);
  EXPECT_FALSE(names_table(odd.string()));
}

TEST(ReadLearnedTable, TakesTheTensorAfterTheHash) {
  const TemporaryDirectory folder;
  const std::string file = folder.write("model.safetensors", two_tensors()).string();
  for (const std::string& text : {file + "#wpe", folder.path().string() + "#wpe"}) {
    const LearnedTable table = read_learned_table(text);
    EXPECT_EQ(table.rows, 2);
    EXPECT_EQ(table.dim, 3);
    EXPECT_EQ(table.dtype, "f32");
    EXPECT_EQ(table.values, (Vector{0, 1, 2, 3, 4, 5}));
  }
}

TEST(ReadLearnedTable, RefusesAVectorAndAnUnknownTensor) {
  const TemporaryDirectory folder;
  const std::string file = folder.write("model.safetensors", two_tensors()).string();
  expect_error(ErrorCode::kMalformed, "shape (rows, dim)",
               [&] { read_learned_table(file + "#bias"); });
  expect_error(ErrorCode::kUsage, "wpe", [&] { read_learned_table(file + "#wp"); });
}

}  // namespace
}  // namespace sextant
