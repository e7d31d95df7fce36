// SPDX-License-Identifier: Apache-2.0
// convert, as a user meets it.
#include <cmath>
#include <nlohmann/json.hpp>

#include "io/npy.h"
#include "io/safetensors.h"
#include "io/safetensors_input.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

std::string write_weights(const TemporaryDirectory& folder) {
  std::vector<float> q(8 * 3), rest(5);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = static_cast<float>(i);
  const std::vector<StoredTensor> tensors = {
      {{"a.q_proj.weight", "F32", {8, 3}}, std::as_bytes(std::span(q))},
      {{"rest", "F32", {5}}, std::as_bytes(std::span(rest))}};
  AtomicFile file(folder / "in.safetensors", AtomicFile::Existing::kKeep);
  write_safetensors(file, tensors);
  file.commit();
  return (folder / "in.safetensors").string();
}

std::string write_keys(const TemporaryDirectory& folder) {
  const std::vector<Index> shape = {2, 4};
  const std::vector<double> keys = {1, 2, 3, 4, 1, 2, 3, 4};
  std::string content = npy_header("<f8", shape);
  content.append(reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof(double));
  return folder.write("keys.npy", content).string();
}

TEST(Convert, ChangesThePairingAndBack) {
  const TemporaryDirectory folder;
  const std::string in = write_weights(folder);
  const std::string there = (folder / "there.safetensors").string();
  const std::string back = (folder / "back.safetensors").string();
  const CommandResult result = sextant_command({"convert", "pairing", in, "-o", there, "--heads",
                                                "2", "--to", "interleaved", "--json", "--quiet"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["verb"], "convert");
  EXPECT_EQ(json["tensors"][0]["name"], "a.q_proj.weight");
  EXPECT_EQ(read_tensor(there, "a.q_proj.weight").values[3], 6.0);  // row 2 comes second
  EXPECT_EQ(
      sextant_command({"convert", "pairing", there, "-o", back, "--heads", "2", "--to", "half"})
          .status,
      0);
  EXPECT_EQ(content_of(in), content_of(back));
}

TEST(Convert, TurnsCachedKeysOn) {
  const TemporaryDirectory folder;
  const std::string in = write_keys(folder), out = (folder / "out.npy").string();
  const CommandResult result =
      sextant_command({"convert", "keys", in, "-o", out, "--from", "none", "--to", "rope"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Vector keys = read_npy(out).values;
  EXPECT_EQ(keys[0], 1.0);
  EXPECT_NEAR(keys[4], std::cos(1.0) - 3.0 * std::sin(1.0), 1e-15);
  EXPECT_NEAR(keys[6], std::sin(1.0) + 3.0 * std::cos(1.0), 1e-15);
}

TEST(Convert, KeepsInputsAndExistingOutputs) {
  const TemporaryDirectory folder;
  const std::string in = write_weights(folder);
  const std::string out = folder.write("out.safetensors", "mine").string();
  const Words words = {"convert", "pairing", in, "-o", out, "--heads", "2", "--to", "half"};
  expect_failure(6, "out.safetensors", words);
  EXPECT_EQ(content_of(out), "mine");
  Words forced = words;
  forced.emplace_back("--force");
  EXPECT_EQ(sextant_command(forced).status, 0);
  EXPECT_NE(content_of(out), "mine");
  expect_failure(2, "is an input",
                 {"convert", "pairing", in, "-o", in, "--heads", "2", "--to", "half", "--force"});
}

TEST(Convert, SaysWhatIsMissingOrWrong) {
  const TemporaryDirectory folder;
  const std::string in = write_weights(folder), keys = write_keys(folder);
  const std::string out = (folder / "out.safetensors").string();
  const std::string turned = (folder / "out.npy").string();
  expect_failure(2, "--to", {"convert", "pairing", in, "-o", out, "--heads", "2"});
  expect_failure(2, "--heads", {"convert", "pairing", in, "-o", out, "--to", "half"});
  expect_failure(2, "half, interleaved",
                 {"convert", "pairing", in, "-o", out, "--heads", "2", "--to", "halve"});
  expect_failure(2, "--from", {"convert", "keys", keys, "-o", turned, "--to", "rope"});
  expect_failure(
      2, "goes with 'convert keys'",
      {"convert", "pairing", in, "-o", out, "--heads", "2", "--to", "half", "--offset", "3"});
  expect_failure(2, "format of the input",
                 {"convert", "keys", keys, "-o", out, "--from", "none", "--to", "rope"});
  expect_failure(4, "missing.npy",
                 {"convert", "keys", (folder / "missing.npy").string(), "-o", turned, "--from",
                  "none", "--to", "rope"});
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_FALSE(std::filesystem::exists(turned));
}

}  // namespace
}  // namespace sextant
