// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sextant/error.h"

namespace sextant {
namespace {

// What a browser takes for the report: the text of the element, which ends at the next "</script".
std::string embedded(const std::string& page) {
  const std::string_view opening = R"(<script type="application/json" id="report">)";
  const std::size_t first = page.find(opening) + opening.size();
  return page.substr(first, page.find("</script", first) - first);
}

class ReportPage : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_report_page()) GTEST_SKIP() << "this build has no page: npm was not found";
  }
};

TEST_F(ReportPage, HoldsTheReportOnceAndNoPlaceholder) {
  const std::string page = report_page(R"({"schema":1})");
  EXPECT_EQ(embedded(page), R"({"schema":1})");
  EXPECT_EQ(page.find("@SEXTANT_REPORT@"), std::string::npos);
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
}

TEST_F(ReportPage, GivesBackEveryTextThatCouldEndTheElement) {
  const nlohmann::json report = {{"name", "</script><script>alert(1)</script><!-- <b> & ]]>"},
                                 {"lines", "a\xE2\x80\xA8z\xE2\x80\xA9\xE2\x80\xA6"},
                                 {"quotes", "\"\\u003c\\"}};
  const std::string inside = embedded(report_page(report.dump()));
  EXPECT_EQ(nlohmann::json::parse(inside), report);
  EXPECT_EQ(inside.find('<'), std::string::npos);
  EXPECT_EQ(inside.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_EQ(inside.find("\xE2\x80\xA9"), std::string::npos);
}

TEST_F(ReportPage, AllowsNoScriptAndNoRequestButItsOwn) {
  const std::string page = report_page("{}");
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("unsafe-inline"), std::string::npos);
  EXPECT_EQ(page.find(" src="), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
}

TEST(ReportPageOfABuildWithoutNpm, SaysSo) {
  if (has_report_page()) GTEST_SKIP() << "this build has a page";
  try {
    report_page("{}");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_NE(std::string_view(error.what()).find("no page"), std::string_view::npos);
  }
}

}  // namespace
}  // namespace sextant
