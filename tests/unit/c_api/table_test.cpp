// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "support/c_status.h"

namespace sextant {
namespace {

constexpr sextant_table_request kCos = {
    .spec = "rope", .kind = SEXTANT_COS, .dtype = SEXTANT_F64, .dim = 4, .heads = 1, .length = 16};

Owned<sextant_table> range_of(const sextant_table_request& request, double first, int64_t count) {
  return owned<sextant_table>(
      [&](auto made) { return sextant_table_range(&request, first, count, made); });
}

TEST(CTable, WritesWhatWasAskedForIntoTheBufferOfTheCaller) {
  const auto table = range_of(kCos, 3.0, 5);
  std::array<int64_t, 3> shape = {};
  int32_t rank = 0;
  uint64_t bytes = 0;
  ASSERT_EQ(sextant_table_shape(table.get(), shape.data(), &rank), SEXTANT_OK);
  EXPECT_EQ(rank, 2);
  EXPECT_EQ(shape, (std::array<int64_t, 3>{5, 2, 1}));
  ASSERT_EQ(sextant_table_bytes(table.get(), &bytes), SEXTANT_OK);
  ASSERT_EQ(bytes, 5 * 2 * sizeof(double));
  std::vector<double> values(10);
  ASSERT_EQ(sextant_table_write(table.get(), values.data(), bytes, 2), SEXTANT_OK);
  for (std::size_t t = 0; t < 5; ++t) {
    const auto angle = static_cast<double>(3 + t);
    EXPECT_NEAR(values[2 * t], std::cos(angle), 1e-15);
    EXPECT_NEAR(values[2 * t + 1], std::cos(angle / 100.0), 1e-15);
  }
}

TEST(CTable, TakesAnyPositions) {
  sextant_table_request request = kCos;
  request.kind = SEXTANT_SIN;
  request.dtype = SEXTANT_F32;
  const std::array<double, 2> positions = {-2.5, 1000.25};
  const auto table = owned<sextant_table>(
      [&](auto made) { return sextant_table_at(&request, positions.data(), 2, 1, made); });
  std::array<float, 4> values = {};
  ASSERT_EQ(sextant_table_write(table.get(), values.data(), sizeof(values), 1), SEXTANT_OK);
  EXPECT_FLOAT_EQ(values[0], static_cast<float>(std::sin(-2.5)));
  EXPECT_FLOAT_EQ(values[2], static_cast<float>(std::sin(1000.25)));
}

TEST(CTable, HasEveryKindAndType) {
  const std::array<std::pair<int32_t, const char*>, 6> kinds = {{{SEXTANT_ROWS, "sinusoidal"},
                                                                 {SEXTANT_COS, "rope"},
                                                                 {SEXTANT_SIN, "rope"},
                                                                 {SEXTANT_INV_FREQ, "rope"},
                                                                 {SEXTANT_BIAS, "alibi"},
                                                                 {SEXTANT_MATRIX, "rope"}}};
  const std::array<uint64_t, 6> values = {12, 6, 6, 2, 9, 48};
  const std::array<uint64_t, 4> widths = {8, 4, 2, 2};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    for (std::size_t dtype = 0; dtype < widths.size(); ++dtype) {
      sextant_table_request request = kCos;
      request.kind = kinds[i].first;
      request.spec = kinds[i].second;
      request.dtype = static_cast<sextant_dtype>(dtype);
      const auto table = range_of(request, 0.0, 3);
      uint64_t bytes = 0;
      ASSERT_EQ(sextant_table_bytes(table.get(), &bytes), SEXTANT_OK);
      EXPECT_EQ(bytes, values[i] * widths[dtype]);
      std::vector<double> buffer(bytes / sizeof(double) + 1);
      EXPECT_EQ(sextant_table_write(table.get(), buffer.data(), bytes, 1), SEXTANT_OK)
          << sextant_last_error();
    }
  }
}

TEST(CTable, EveryNullPointerIsNamed) {
  const auto table = range_of(kCos, 0.0, 1);
  std::array<int64_t, 3> shape = {};
  int32_t rank = 0;
  uint64_t bytes = 0;
  const double position = 0.0;
  std::array<double, 2> out = {};
  sextant_table* made = nullptr;
  sextant_table_request no_spec = kCos;
  no_spec.spec = nullptr;
  expect_null_is_named(sextant_table_range(nullptr, 0.0, 1, &made), "request");
  expect_null_is_named(sextant_table_range(&no_spec, 0.0, 1, &made), "spec");
  expect_null_is_named(sextant_table_range(&kCos, 0.0, 1, nullptr), "made");
  expect_null_is_named(sextant_table_at(nullptr, &position, 1, 1, &made), "request");
  expect_null_is_named(sextant_table_at(&no_spec, &position, 1, 1, &made), "spec");
  expect_null_is_named(sextant_table_at(&kCos, nullptr, 1, 1, &made), "positions");
  expect_null_is_named(sextant_table_at(&kCos, &position, 1, 1, nullptr), "made");
  expect_null_is_named(sextant_table_shape(nullptr, shape.data(), &rank), "table");
  expect_null_is_named(sextant_table_shape(table.get(), nullptr, &rank), "shape");
  expect_null_is_named(sextant_table_shape(table.get(), shape.data(), nullptr), "rank");
  expect_null_is_named(sextant_table_bytes(nullptr, &bytes), "table");
  expect_null_is_named(sextant_table_bytes(table.get(), nullptr), "bytes");
  expect_null_is_named(sextant_table_write(nullptr, out.data(), sizeof(out), 1), "table");
  expect_null_is_named(sextant_table_write(table.get(), nullptr, sizeof(out), 1), "out");
  sextant_table_free(nullptr);
}

TEST(CTable, RefusesWhatDoesNotFit) {
  const auto expect = [](sextant_status status, const char* part, auto change, int64_t count) {
    sextant_table_request request = kCos;
    change(request);
    auto* made = reinterpret_cast<sextant_table*>(alignof(std::max_align_t));
    expect_fault(sextant_table_range(&request, 0.0, count, &made), status, part);
    EXPECT_EQ(made, nullptr);
  };
  expect(
      SEXTANT_USAGE, "kind: must be 0 to 5 but is 6", [](auto& r) { r.kind = 6; }, 1);
  expect(
      SEXTANT_USAGE, "kind: must be 0 to 5 but is -1", [](auto& r) { r.kind = -1; }, 1);
  expect(
      SEXTANT_USAGE, "dtype: must be 0 to 3 but is 4", [](auto& r) { r.dtype = 4; }, 1);
  expect(
      SEXTANT_USAGE, "dim must be", [](auto& r) { r.dim = -4; }, 1);
  expect(
      SEXTANT_USAGE, "heads must be", [](auto& r) { r.heads = 0; }, 1);
  expect(
      SEXTANT_USAGE, "positions must not be negative", [](auto& r) { r.length = -1; }, 1);
  expect(
      SEXTANT_USAGE, "has no bias", [](auto& r) { r.kind = SEXTANT_BIAS; }, 1);
  expect(
      SEXTANT_USAGE, "", [](auto&) {}, -1);
  expect(
      SEXTANT_REFUSED, "63 bits",
      [](auto& r) {
        r.spec = "alibi";
        r.kind = SEXTANT_BIAS;
      },
      int64_t{1} << 40);

  const auto table = range_of(kCos, 0.0, 1);
  std::array<double, 3> out = {};
  auto* const shifted = reinterpret_cast<char*>(out.data()) + 4;
  expect_fault(sextant_table_write(table.get(), out.data(), 24, 1), SEXTANT_USAGE,
               "bytes: must be 16");
  expect_fault(sextant_table_write(table.get(), shifted, 16, 1), SEXTANT_USAGE,
               "out: must be aligned");
  expect_fault(sextant_table_write(table.get(), out.data(), 16, 0), SEXTANT_USAGE, "threads");
  sextant_table* made = nullptr;
  const double position = 0.0;
  expect_fault(sextant_table_at(&kCos, &position, 1, 5, &made), SEXTANT_USAGE,
               "axes: must be 1 to 4");
  expect_fault(sextant_table_at(&kCos, &position, std::numeric_limits<int64_t>::max(), 4, &made),
               SEXTANT_USAGE, "count");
}

}  // namespace
}  // namespace sextant
