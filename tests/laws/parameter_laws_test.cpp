// SPDX-License-Identifier: Apache-2.0
// Every parameter of every encoding at its limits and beyond: a value inside its range builds or
// is refused with a reason, a value outside is a usage error that names the parameter.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "base/text.h"
#include "laws/subjects.h"
#include "sextant/error.h"

namespace sextant {
namespace {

struct Case {
  std::string encoding;
  ParamInfo param;

  friend void PrintTo(const Case& c, std::ostream* out) {
    *out << c.encoding << " " << c.param.name;
  }
};

std::vector<Case> all_params() {
  std::vector<Case> cases;
  for (const std::string& name : encodings().names())
    for (const ParamInfo& param : encodings().info(name).params) cases.push_back({name, param});
  return cases;
}

// Specs that read the parameter: alone, and in every example that gives it.
std::vector<std::string> specs_with(const Case& c, const std::string& value) {
  const std::string key = std::string(c.param.name) + "=";
  std::vector<std::string> specs = {c.encoding + "(" + key + value + ")"};
  for (const std::string_view example : encodings().info(c.encoding).examples) {
    const std::size_t before = std::min(example.find("(" + key), example.find("," + key));
    if (before == example.npos) continue;
    const std::size_t start = before + 1 + key.size(), end = example.find_first_of(",)", start);
    specs.push_back(std::string(example.substr(0, start)) + value +
                    std::string(example.substr(end)));
  }
  return specs;
}

// What is wrong with the spec, or nothing when the encoding can be built and asked.
std::string problem(const std::string& spec) {
  try {
    const auto encoding = make_subject(spec);
    const Extent extent = extent_for(*encoding);
    if (extent.heads > 64) return "";
    pair_form(encoding->effects(extent), extent, 0, 5.0, 3.0);
    return "";
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kUsage || error.code() == ErrorCode::kNumeric ||
                error.code() == ErrorCode::kUnreadable || error.code() == ErrorCode::kRefused)
        << spec << ": " << error.what();
    return error.what();
  }
}

class ParameterLaws : public testing::TestWithParam<Case> {};

TEST_P(ParameterLaws, LimitsBuildOrAreRefusedWithAReason) {
  const Case& c = GetParam();
  std::vector<std::string> values;
  if (c.param.kind == ParamKind::kWord)
    for (const std::string_view choice : split(c.param.choices, '|')) values.emplace_back(choice);
  else if (c.param.kind != ParamKind::kFile)
    values = {shortest(c.param.min), shortest(c.param.max)};
  for (const std::string& value : values)
    for (const std::string& spec : specs_with(c, value)) problem(spec);
}

TEST_P(ParameterLaws, BeyondTheLimitsIsAUsageErrorThatNamesTheParameter) {
  const Case& c = GetParam();
  if (c.param.kind == ParamKind::kFile) {
    EXPECT_NE(problem(c.encoding + ":nowhere.npy").find("nowhere.npy"), std::string::npos);
    return;
  }
  std::vector<std::string> bad = {"nan", "inf", "1e999", "12abc", "+1", "0x10"};
  if (c.param.kind != ParamKind::kWord) {
    bad.push_back(shortest(c.param.min - std::max(1.0, std::abs(c.param.min))));
    bad.push_back(shortest(2.0 * c.param.max + 1.0));
  }
  if (c.param.kind == ParamKind::kInteger) bad.push_back(shortest(c.param.min + 0.5));
  for (const std::string& value : bad)
    for (const std::string& spec : specs_with(c, value))
      EXPECT_NE(problem(spec).find(c.param.name), std::string::npos) << spec;
}

TEST_P(ParameterLaws, DefaultsAreCanonicalAndInRange) {
  const Case& c = GetParam();
  if (c.param.default_text.empty()) return;
  const std::string value(c.param.default_text);
  const auto encoding =
      make_subject(c.encoding + "(" + std::string(c.param.name) + "=" + value + ")");
  EXPECT_EQ(encoding->spec(), c.encoding) << "a default is not printed again";
}

INSTANTIATE_TEST_SUITE_P(All, ParameterLaws, testing::ValuesIn(all_params()), [](const auto& test) {
  return test_name(test.param.encoding + "_" + std::string(test.param.param.name));
});

}  // namespace
}  // namespace sextant
