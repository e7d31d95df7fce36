// SPDX-License-Identifier: Apache-2.0
#include "io/array_input.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/seed_files.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

TEST(ReadArray, TakesEveryFormatByName) {
  const TemporaryDirectory folder;
  const std::string npy = folder.write("a.npy", npy_seed()).string();
  const std::string odd = folder.write("a#b.npy", npy_seed()).string();
  const std::string gguf = folder.write("a.gguf", gguf_seed()).string();
  const std::string one = folder.write("model.safetensors", safetensors_seed()).string();
  EXPECT_EQ(read_array(npy).shape, (std::vector<Index>{2, 3}));
  EXPECT_EQ(read_array(odd).shape, (std::vector<Index>{2, 3}));
  EXPECT_EQ(read_array(gguf + "#position_embd.weight").shape, (std::vector<Index>{3, 2}));
  EXPECT_EQ(read_array(one + "#wpe").values, (Vector{1, -2}));
  EXPECT_EQ(read_array(folder.path().string() + "#wpe").values, (Vector{1, -2}));
  expect_error(ErrorCode::kUsage, "name one", [&] { read_array(folder.path().string()); });
  EXPECT_TRUE(names_tensor_file("x/a.gguf#t"));
  EXPECT_TRUE(names_tensor_file("a.safetensors"));
  EXPECT_FALSE(names_tensor_file("a.npy"));
}

// Nothing is opened: the files do not exist.
TEST(ReadArray, RefusesPickledFormatsByName) {
  for (const char* name :
       {"a.pt", "a.pth", "a.bin", "a.pkl", "a.ckpt", "a.npz", "a.h5", "A.PT", "a.pt#wpe"})
    expect_error(ErrorCode::kMalformed,
                 "format not accepted; convert to .npy or .safetensors (docs/model-files.md)",
                 [&] { read_array(name); });
}

TEST(ReadArray, RefusesPickledFormatsByTheirBytes) {
  const TemporaryDirectory folder;
  for (const char* bytes : {"PK\3\4xxxxxxxx", "\x80\2xxxxxxxxxx", "\x89HDF\r\n\x1a\nxxxx"})
    for (const char* name : {"a.npy", "a.safetensors", "a.gguf", "a"})
      expect_error(ErrorCode::kMalformed, "format not accepted",
                   [&] { read_array(folder.write(name, bytes).string()); });
}

}  // namespace
}  // namespace sextant
