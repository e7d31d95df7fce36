// SPDX-License-Identifier: Apache-2.0
// Pairings of projections. Cached keys are in key_conversion_test.cpp.
#include "model/conversion.h"

#include <gtest/gtest.h>

#include <numeric>

#include "io/safetensors_input.h"
#include "sextant/registry.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

struct NamedTensor {
  std::string name;
  std::vector<Index> shape;
  std::vector<float> values = {};
};

// Values count on through the file, so that each is unlike all others.
std::filesystem::path write_model(const TemporaryDirectory& folder, std::string_view file,
                                  std::vector<NamedTensor> tensors) {
  std::vector<StoredTensor> stored;
  float next = 1.0F;
  for (NamedTensor& tensor : tensors) {
    const Index count =
        std::accumulate(tensor.shape.begin(), tensor.shape.end(), Index{1}, std::multiplies<>());
    for (Index i = 0; i < count; ++i) tensor.values.push_back(next++);
    stored.push_back({{tensor.name, "F32", tensor.shape}, std::as_bytes(std::span(tensor.values))});
  }
  AtomicFile output(folder / file, AtomicFile::Existing::kReplace);
  write_safetensors(output, stored, {{"format", "pt"}});
  output.commit();
  return folder / file;
}

std::vector<ConvertedTensor> convert(const std::filesystem::path& from,
                                     const std::filesystem::path& to,
                                     const PairingConversion& conversion) {
  AtomicFile output(to, AtomicFile::Existing::kKeep);
  std::vector<ConvertedTensor> converted = convert_pairing(from, conversion, output);
  output.commit();
  return converted;
}

TEST(ConvertedRows, PutTheHalvesSideBySide) {
  EXPECT_EQ(converted_rows(Pairing::kInterleaved, 8, 8),
            (std::vector<Index>{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(converted_rows(Pairing::kHalf, 8, 8), (std::vector<Index>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(converted_rows(Pairing::kInterleaved, 4, 6), (std::vector<Index>{0, 2, 1, 3, 4, 5}));
}

TEST(ConvertedRows, AreInverseInTheTwoDirections) {
  for (const Index rotary : {2, 6, 64, 128}) {
    const auto there = converted_rows(Pairing::kInterleaved, rotary, 128);
    const auto back = converted_rows(Pairing::kHalf, rotary, 128);
    for (std::size_t j = 0; j < there.size(); ++j)
      EXPECT_EQ(there[static_cast<std::size_t>(back[j])], static_cast<Index>(j));
  }
}

// The same numbers meet the same cosines: equal to the last bit.
TEST(ConvertedRows, MakeInterleavedOfHalfExactly) {
  constexpr Index kDim = 16;
  const Extent extent{.positions = 1, .dim = kDim, .heads = 1};
  const Effects half = encodings().make("rope")->effects(extent);
  const Effects interleaved = encodings().make("rope(pairing=interleaved)")->effects(extent);
  const auto source = converted_rows(Pairing::kInterleaved, kDim, kDim);
  ASSERT_TRUE(half.query_key && interleaved.query_key);
  for (const double t : {1.0, 17.0, 4095.0}) {
    Vector q, converted;
    for (Index j = 0; j < kDim; ++j) q.push_back(0.1 * static_cast<double>(j * j) - 3.0);
    for (const Index row : source) converted.push_back(q[static_cast<std::size_t>(row)]);
    half.query_key->apply_to_query(t, q);
    interleaved.query_key->apply_to_query(t, converted);
    for (std::size_t j = 0; j < source.size(); ++j)
      EXPECT_EQ(converted[j], q[static_cast<std::size_t>(source[j])]);
  }
}

TEST(RotaryRows, AreKnownByTheirNames) {
  EXPECT_EQ(rotary_rows("model.layers.0.self_attn.q_proj.weight"), RowOwner::kQuery);
  EXPECT_EQ(rotary_rows("model.layers.0.self_attn.k_proj.bias"), RowOwner::kKey);
  EXPECT_EQ(rotary_rows("layers.3.attention.wk.weight"), RowOwner::kKey);
  EXPECT_EQ(rotary_rows("model.layers.0.self_attn.q_norm.weight"), RowOwner::kQuery);
  EXPECT_EQ(rotary_rows("a.q_proj.lora_B.weight"), RowOwner::kQuery);
  EXPECT_EQ(rotary_rows("a.q_proj.lora_A.weight"), RowOwner::kNone);
  EXPECT_EQ(rotary_rows("a.v_proj.weight"), RowOwner::kNone);
  EXPECT_EQ(rotary_rows("model.embed_tokens.weight"), RowOwner::kNone);
  EXPECT_EQ(rotary_rows("a.q_proj.qweight"), RowOwner::kUnknown);
}

TEST(ConvertPairing, MovesRowsOfQueriesAndKeysOnly) {
  const TemporaryDirectory folder;
  const auto in = write_model(folder, "in.safetensors",
                              {{"a.q_proj.weight", {8, 3}},
                               {"a.k_proj.weight", {4, 3}},
                               {"a.k_proj.bias", {4}},
                               {"a.q_norm.weight", {4}},
                               {"a.v_proj.weight", {4, 3}}});
  const auto out = folder / "out.safetensors";
  const auto converted = convert(in, out, {.to = Pairing::kInterleaved, .heads = 2, .kv_heads = 1});
  ASSERT_EQ(converted.size(), 4U);
  const NpyArray q = read_tensor(in, "a.q_proj.weight"), q2 = read_tensor(out, "a.q_proj.weight");
  const std::vector<std::size_t> rows = {0, 2, 1, 3, 4, 6, 5, 7};
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t col = 0; col < 3; ++col)
      EXPECT_EQ(q2.values[3 * row + col], q.values[3 * rows[row] + col]);
  const NpyArray b = read_tensor(in, "a.k_proj.bias");
  EXPECT_EQ(read_tensor(out, "a.k_proj.bias").values,
            (Vector{b.values[0], b.values[2], b.values[1], b.values[3]}));
  EXPECT_EQ(read_tensor(out, "a.v_proj.weight").values, read_tensor(in, "a.v_proj.weight").values);
  EXPECT_NE(read_tensor(out, "a.q_norm.weight").values, read_tensor(in, "a.q_norm.weight").values);
}

TEST(ConvertPairing, ReturnsToTheSameBytes) {
  const TemporaryDirectory folder;
  const auto in =
      write_model(folder, "in.safetensors",
                  {{"a.q_proj.weight", {24, 5}}, {"a.k_proj.weight", {12, 5}}, {"b", {7}}});
  PairingConversion there{.to = Pairing::kInterleaved, .heads = 4, .kv_heads = 2, .rotary_dim = 4};
  convert(in, folder / "there.safetensors", there);
  EXPECT_NE(content_of(in), content_of(folder / "there.safetensors"));
  there.to = Pairing::kHalf;
  convert(folder / "there.safetensors", folder / "back.safetensors", there);
  EXPECT_EQ(content_of(in), content_of(folder / "back.safetensors"));
}

// A head of 2 rows of 2^20 values has 8 MB: more than is read at once.
TEST(ConvertPairing, MovesWideRowsInPieces) {
  const TemporaryDirectory folder;
  const auto in = write_model(folder, "in.safetensors", {{"a.q_proj.weight", {4, 1 << 19}}});
  convert(in, folder / "out.safetensors", {.to = Pairing::kHalf, .heads = 1});
  const NpyArray before = read_tensor(in, ""), after = read_tensor(folder / "out.safetensors", "");
  const std::size_t width = std::size_t{1} << 19;
  const std::vector<std::size_t> rows = {0, 2, 1, 3};
  for (std::size_t row = 0; row < 4; ++row)
    EXPECT_TRUE(std::equal(after.values.begin() + static_cast<Index>(row * width),
                           after.values.begin() + static_cast<Index>((row + 1) * width),
                           before.values.begin() + static_cast<Index>(rows[row] * width)));
}

TEST(ConvertPairing, TakesNamedTensors) {
  const TemporaryDirectory folder;
  const auto in = write_model(folder, "in.safetensors", {{"queries", {8, 2}}, {"rest", {8, 2}}});
  const auto converted = convert(in, folder / "out.safetensors",
                                 {.to = Pairing::kHalf, .head_dim = 4, .tensors = {"queries"}});
  ASSERT_EQ(converted.size(), 1U);
  EXPECT_EQ(converted[0].heads, 2);
  EXPECT_EQ(read_tensor(folder / "out.safetensors", "rest").values, read_tensor(in, "rest").values);
}

TEST(ConvertPairing, RefusesWhatItDoesNotUnderstand) {
  const TemporaryDirectory folder;
  const auto refused = [&](std::string_view part, std::vector<NamedTensor> tensors,
                           const PairingConversion& conversion) {
    const auto in = write_model(folder, "in.safetensors", std::move(tensors));
    expect_error(ErrorCode::kUsage, part,
                 [&] { convert(in, folder / "out.safetensors", conversion); });
    EXPECT_FALSE(std::filesystem::exists(folder / "out.safetensors"));
  };
  const PairingConversion two{.to = Pairing::kHalf, .heads = 2};
  refused("fused", {{"h.0.query_key_value.weight", {24, 8}}},
          {.to = Pairing::kHalf, .heads = 2, .head_dim = 4});
  refused("quantised", {{"a.q_proj.weight", {8, 2}}, {"a.q_proj.qzeros", {8}}}, two);
  refused("multiple", {{"a.q_proj.weight", {7, 2}}}, two);
  refused("expected", {{"a.q_proj.weight", {8, 2}}, {"a.k_proj.weight", {4, 2}}}, two);
  refused("even", {{"a.q_proj.weight", {8, 2}}},
          {.to = Pairing::kHalf, .heads = 2, .rotary_dim = 3});
  refused("did you mean", {{"queries", {8, 2}}},
          {.to = Pairing::kHalf, .head_dim = 4, .tensors = {"querys"}});
  refused("no tensor of queries", {{"b", {8, 2}}},
          {.to = Pairing::kHalf, .heads = 2, .head_dim = 4});
}

}  // namespace
}  // namespace sextant
