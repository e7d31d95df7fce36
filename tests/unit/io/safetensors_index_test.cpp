// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors_index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/gguf_bytes.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

std::string file_with(const std::string& name, float value) {
  const std::vector<TensorHeader> tensors = {{name, "F32", {1}}};
  return safetensors_header(tensors) + raw(value);
}

class SafetensorsIndex : public testing::Test {
 protected:
  SafetensorsIndex() {
    folder_.write("one.safetensors", file_with("a", 1.0F));
    folder_.write("two.safetensors", file_with("b", 2.0F));
  }
  void write_index(std::string_view map) const {
    folder_.write("model.safetensors.index.json",
                  fmt::format(R"({{"metadata": {{"total_size": 8}}, "weight_map": {}}})", map));
  }

  TemporaryDirectory folder_;
};

TEST_F(SafetensorsIndex, FindsEveryTensorInItsFile) {
  write_index(R"({"b": "two.safetensors", "a": "one.safetensors"})");
  const std::vector<TensorLocation> all = locate_tensors(folder_.path());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].header.name, "a");
  EXPECT_EQ(all[0].path, folder_ / "one.safetensors");
  EXPECT_EQ(all[1].path, folder_ / "two.safetensors");
  EXPECT_EQ(read_model_tensor(folder_.path(), "b").values, Vector{2.0});
  EXPECT_EQ(read_model_tensor(folder_ / "model.safetensors.index.json", "a").values, Vector{1.0});
  expect_error(ErrorCode::kUsage, "has no tensor 'c'",
               [&] { read_model_tensor(folder_.path(), "c"); });
}

TEST_F(SafetensorsIndex, TakesASingleFileAsAModel) {
  EXPECT_EQ(locate_tensors(folder_ / "two.safetensors")[0].header.name, "b");
  folder_.write("model.safetensors", file_with("w", 3.0F));
  EXPECT_EQ(read_model_tensor(folder_.path(), "w").values, Vector{3.0});
  EXPECT_EQ(locate_tensors(folder_.path())[0].path, folder_ / "model.safetensors");
}

TEST_F(SafetensorsIndex, StaysInItsFolder) {
  for (const char* name : {"../one.safetensors", "/one.safetensors", "..", "", "x/one.safetensors",
                           "one.bin", "a\\u0000.safetensors"}) {
    write_index(fmt::format(R"({{"a": "{}"}})", name));
    expect_error(ErrorCode::kMalformed, "/weight_map/a: must be the plain name",
                 [&] { locate_tensors(folder_.path()); });
  }
  write_index(R"({"a": 1})");
  expect_error(ErrorCode::kMalformed, "/weight_map/a", [&] { locate_tensors(folder_.path()); });
  folder_.write("model.safetensors.index.json", "{}");
  expect_error(ErrorCode::kMalformed, "'weight_map' is missing",
               [&] { locate_tensors(folder_.path()); });
}

TEST_F(SafetensorsIndex, NamesAPartThatIsMissing) {
  write_index(R"({"a": "three.safetensors"})");
  expect_error(ErrorCode::kUnreadable, "three.safetensors: No such file",
               [&] { locate_tensors(folder_.path()); });
  write_index(R"({"a": "two.safetensors"})");
  for (const auto& call : {+[](const std::filesystem::path& p) { locate_tensors(p); },
                           +[](const std::filesystem::path& p) { read_model_tensor(p, "a"); }})
    expect_error(ErrorCode::kMalformed, "two.safetensors: has no tensor 'a', though",
                 [&] { call(folder_.path()); });
}

TEST_F(SafetensorsIndex, RefusesAFolderWithoutWeightsThatItReads) {
  expect_error(ErrorCode::kUnreadable, "holds neither model.safetensors.index.json",
               [&] { locate_tensors(folder_.path()); });
  folder_.write("pytorch_model.bin", "\x80\2");
  expect_error(ErrorCode::kMalformed, "pytorch_model.bin: format not accepted",
               [&] { locate_tensors(folder_.path()); });
}

}  // namespace
}  // namespace sextant
