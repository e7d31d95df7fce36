// SPDX-License-Identifier: Apache-2.0
#include "io/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace sextant {
namespace {

TEST(ToText, KeepsTheOrderOfKeysAndEndsWithANewline) {
  Json json = {{"verb", "table"}, {"schema", 1}};
  json["a"] = {0.1, -2};
  EXPECT_EQ(to_text(json),
            "{\n  \"verb\": \"table\",\n  \"schema\": 1,\n  \"a\": [\n    0.1,\n    -2\n  ]\n}\n");
}

TEST(ToText, WritesNullForWhatIsNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(to_text(Json(kInfinity)), "null\n");
  EXPECT_EQ(to_text(Json(-kInfinity)), "null\n");
  EXPECT_EQ(to_text(Json(std::nan(""))), "null\n");
}

TEST(ToText, IsAsciiForAnyBytes) {
  EXPECT_EQ(to_text(Json("\xc3\xa9")), "\"\\u00e9\"\n");
  EXPECT_EQ(to_text(Json("a\xff"
                         "b\n")),
            "\"a\\ufffdb\\n\"\n");
}

TEST(ToText, ReadsBackToTheSameBits) {
  const Rng rng(2, 0);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double value = std::ldexp(rng.normal(i), static_cast<int>(i * 2) - 1000);
    EXPECT_EQ(Json::parse(to_text(Json(value))).get<double>(), value);
  }
  EXPECT_EQ(to_text(Json(0.1)), "0.1\n");
  EXPECT_EQ(to_text(Json(5e-324)), "5e-324\n");
}

}  // namespace
}  // namespace sextant
