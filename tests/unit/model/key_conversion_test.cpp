// SPDX-License-Identifier: Apache-2.0
// Cached keys of conversion.h.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/rounding.h"
#include "io/npy.h"
#include "io/safetensors_input.h"
#include "math/elementary.h"
#include "model/conversion.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

constexpr Index kHeads = 2, kPositions = 7, kDim = 8;
constexpr char kYarn[] = "rope(scaling=yarn,factor=4,original=32)";

// Raw keys, the same for all tests.
Vector raw_keys() {
  Vector keys;
  for (Index i = 0; i < kHeads * kPositions * kDim; ++i)
    keys.push_back(std::sin(static_cast<double>(3 * i + 1)));
  return keys;
}

// By the definition, in long double: (x cos - y sin, x sin + y cos) of pair (i, i + d/2) or
// (2i, 2i+1).
Vector rotated(Vector keys, const RotaryOperator& op, double offset) {
  const bool half = op.pairing == Pairing::kHalf;
  for (std::size_t row = 0; row < keys.size() / kDim; ++row) {
    const long double t = static_cast<double>(row % kPositions) + offset;
    for (std::size_t i = 0; i < op.inv_freq.size(); ++i) {
      const long double w = static_cast<long double>(op.inv_freq[i].high) + op.inv_freq[i].low;
      const long double m = static_cast<long double>(op.magnitude.high) + op.magnitude.low;
      double& x = keys[row * kDim + (half ? i : 2 * i)];
      double& y = keys[row * kDim + (half ? i + op.inv_freq.size() : 2 * i + 1)];
      const long double a = x, b = y;
      x = static_cast<double>(m * (a * std::cos(t * w) - b * std::sin(t * w)));
      y = static_cast<double>(m * (a * std::sin(t * w) + b * std::cos(t * w)));
    }
  }
  return keys;
}

template <typename Word>
std::filesystem::path write_npy(const TemporaryDirectory& folder, std::string_view descr,
                                const std::vector<Word>& words) {
  const std::vector<Index> shape = {kHeads, kPositions, kDim};
  std::string content = npy_header(descr, shape);
  content.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(Word));
  return folder.write("keys.npy", content);
}

std::filesystem::path write_doubles(const TemporaryDirectory& folder, const Vector& keys) {
  return write_npy(folder, "<f8", keys);
}

std::filesystem::path convert(const TemporaryDirectory& folder, const std::filesystem::path& in,
                              const KeyConversion& conversion) {
  const auto out = folder / fmt::format("out{}", in.extension().string());
  AtomicFile output(out, AtomicFile::Existing::kReplace);
  convert_keys(in, key_tensors(in, {}), conversion, output);
  output.commit();
  return out;
}

TEST(ConvertKeys, GivesTheKeysOfTheOtherScaling) {
  const TemporaryDirectory folder;
  const KeyConversion conversion{
      .from = operator_of("rope", kDim), .to = operator_of(kYarn, kDim), .offset = 1000.0};
  const auto in = write_doubles(folder, rotated(raw_keys(), conversion.from, 1000.0));
  const Vector expected = rotated(raw_keys(), conversion.to, 1000.0);
  const Vector found = read_npy(convert(folder, in, conversion)).values;
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15);
}

TEST(ConvertKeys, StartsFromKeysThatHaveNotTurned) {
  const TemporaryDirectory folder;
  const KeyConversion conversion{.from = operator_of("none", kDim),
                                 .to = operator_of("rope(base=100)", kDim)};
  const auto in = write_doubles(folder, raw_keys());
  const Vector found = read_npy(convert(folder, in, conversion)).values;
  const Vector expected = rotated(raw_keys(), conversion.to, 0.0);
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15);
}

TEST(ConvertKeys, ChangesNoBitWhereNothingChanges) {
  const TemporaryDirectory folder;
  const KeyConversion conversion{.from = operator_of(kYarn, kDim), .to = operator_of(kYarn, kDim)};
  const auto in = write_doubles(folder, raw_keys());
  EXPECT_EQ(content_of(convert(folder, in, conversion)), content_of(in));
}

TEST(ConvertKeys, MovesCoordinatesWhereThePairingsDiffer) {
  const TemporaryDirectory folder;
  const KeyConversion conversion{.from = operator_of("rope", kDim),
                                 .to = operator_of("rope(pairing=interleaved)", kDim)};
  const auto in = write_doubles(folder, raw_keys());
  const Vector before = raw_keys(), after = read_npy(convert(folder, in, conversion)).values;
  const auto source = converted_rows(Pairing::kInterleaved, kDim, kDim);
  for (std::size_t i = 0; i < after.size(); ++i)
    EXPECT_EQ(after[i], before[i - i % kDim + static_cast<std::size_t>(source[i % kDim])]);
}

// Each value was rounded when it was stored and is rounded once more.
TEST(ConvertKeys, KeepsTheTypeWithinItsRounding) {
  const TemporaryDirectory folder;
  const RotaryOperator from = operator_of("rope", kDim);
  const RotaryOperator to = operator_of("rope(scaling=linear,factor=8)", kDim);
  const Vector before = rotated(raw_keys(), from, 0.0), expected = rotated(raw_keys(), to, 0.0);
  std::vector<std::uint16_t> halves, bfloats;
  std::vector<float> floats;
  for (const double x : before) {
    halves.push_back(to_half(x));
    bfloats.push_back(to_bfloat16(x));
    floats.push_back(static_cast<float>(x));
  }
  const auto expect_close = [&](const Vector& found, double unit) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2.5 * unit);
  };
  expect_close(read_npy(convert(folder, write_npy(folder, "<f4", floats), {from, to})).values,
               0x1p-24);
  expect_close(read_npy(convert(folder, write_npy(folder, "<f2", halves), {from, to})).values,
               0x1p-11);
  const StoredTensor tensor = {{"k", "BF16", {kHeads, kPositions, kDim}},
                               std::as_bytes(std::span(bfloats))};
  AtomicFile file(folder / "keys.safetensors", AtomicFile::Existing::kReplace);
  write_safetensors(file, std::span(&tensor, 1));
  file.commit();
  const auto out = convert(folder, folder / "keys.safetensors", {from, to});
  EXPECT_EQ(read_tensor_headers(out).front().dtype, "BF16");
  expect_close(read_tensor(out, "k").values, 0x1p-8);
}

TEST(ConvertKeys, TakesIrregularPositions) {
  const TemporaryDirectory folder;
  KeyConversion conversion{.from = operator_of("none", kDim), .to = operator_of("rope", kDim)};
  conversion.at = {5, 5, 5, 5, 5, 5, 5};
  const auto in = write_doubles(folder, raw_keys());
  const Vector found = read_npy(convert(folder, in, conversion)).values, raw = raw_keys();
  for (std::size_t row = 0; row < kHeads * kPositions; ++row)
    EXPECT_NEAR(found[row * kDim],
                raw[row * kDim] * std::cos(5.0) - raw[row * kDim + kDim / 2] * std::sin(5.0),
                1e-15);
  conversion.at.pop_back();
  expect_error(ErrorCode::kUsage, "one position for each",
               [&] { convert(folder, in, conversion); });
}

TEST(ConvertKeys, StopsAtNanOrLeavesItsPairAlone) {
  const TemporaryDirectory folder;
  Vector keys = raw_keys();
  keys[kDim + 1] = std::numeric_limits<double>::quiet_NaN();
  const auto in = write_doubles(folder, keys);
  KeyConversion conversion{.from = operator_of("rope", kDim), .to = operator_of(kYarn, kDim)};
  expect_error(ErrorCode::kNumeric, "index 1 of sequence 0",
               [&] { convert(folder, in, conversion); });
  conversion.allow_nonfinite = true;
  const Vector found = read_npy(convert(folder, in, conversion), {.allow_nonfinite = true}).values;
  EXPECT_TRUE(std::isnan(found[kDim + 1]));
  EXPECT_EQ(found[kDim + 1 + kDim / 2], keys[kDim + 1 + kDim / 2]);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i != kDim + 1) {
      EXPECT_TRUE(std::isfinite(found[i]));
    }
  }
}

TEST(ConvertKeys, RefusesWhatTheTypeCannotHold) {
  const TemporaryDirectory folder;
  const std::vector<std::uint16_t> largest(kHeads * kPositions * kDim, 0x7bff);  // 65504
  const auto in = write_npy(folder, "<f2", largest);
  const KeyConversion conversion{
      .from = operator_of("none", kDim), .to = operator_of("rope", kDim), .offset = 1.0};
  expect_error(ErrorCode::kNumeric, "range of F16", [&] { convert(folder, in, conversion); });
}

TEST(ConvertKeys, RefusesOperatorsThatDoNotFit) {
  const TemporaryDirectory folder;
  const auto in = write_doubles(folder, raw_keys());
  const RotaryOperator rope = operator_of("rope", kDim);
  expect_error(ErrorCode::kUsage, "as many coordinates", [&] {
    convert(folder, in, {rope, operator_of("rope(partial=0.5)", kDim)});
  });
  expect_error(ErrorCode::kUsage, "8 wide", [&] {
    convert(folder, in, {rope, operator_of("rope", 16)});
  });
  expect_error(ErrorCode::kUsage, "rope(...) or none", [&] { operator_of("alibi", kDim); });
  EXPECT_FALSE(std::filesystem::exists(folder / "out.npy"));
}

TEST(KeyTensors, AreChosenByName) {
  const TemporaryDirectory folder;
  const std::vector<float> values(2 * 4, 1.0F);
  const std::vector<StoredTensor> stored = {
      {{"k", "F32", {2, 4}}, std::as_bytes(std::span(values))},
      {{"v", "F32", {8}}, std::as_bytes(std::span(values))}};
  AtomicFile file(folder / "cache.safetensors", AtomicFile::Existing::kKeep);
  write_safetensors(file, stored);
  file.commit();
  const auto path = folder / "cache.safetensors";
  EXPECT_EQ(key_tensors(path, {"k"}).front().header.name, "k");
  expect_error(ErrorCode::kUsage, "2 tensors", [&] { key_tensors(path, {}); });
  expect_error(ErrorCode::kUsage, "[8]", [&] { key_tensors(path, {"v"}); });
  expect_error(ErrorCode::kUsage, "no tensor 'q'", [&] { key_tensors(path, {"q"}); });
  expect_error(ErrorCode::kMalformed, "",
               [&] { key_tensors(folder.write("bad.npy", "\x93NUMPY"), {}); });
}

}  // namespace
}  // namespace sextant
