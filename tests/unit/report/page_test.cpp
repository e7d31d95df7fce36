// SPDX-License-Identifier: Apache-2.0
#include "report/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sextant/error.h"

namespace sextant {
namespace {

constexpr std::string_view kOpening = R"(<script type="application/json" id="report">)";

// What a browser takes for the report: the text of the element, which ends at the next "</script".
std::string embedded(const std::string& page) {
  const std::size_t first = page.find(kOpening) + kOpening.size();
  return page.substr(first, page.find("</script", first) - first);
}

ErrorCode code_of_filling(std::string_view page) {
  try {
    fill_page(page, "{}");
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::kInternal;
}

TEST(FillPage, PutsTheReportInTheOnePlaceForIt) {
  EXPECT_EQ(fill_page("a@SEXTANT_REPORT@z", R"({"schema":1})"), R"(a{"schema":1}z)");
}

TEST(FillPage, GivesBackEveryTextThatCouldEndTheElement) {
  const nlohmann::json report = {{"name", "</script><script>alert(1)</script><!-- <b> & ]]>"},
                                 {"lines", "a\xE2\x80\xA8z\xE2\x80\xA9\xE2\x80\xA6"},
                                 {"quotes", "\"\\u003c\\"},
                                 {"placeholder", "@SEXTANT_REPORT@"}};
  const std::string page = std::string(kOpening) + "@SEXTANT_REPORT@</script>";
  const std::string inside = embedded(fill_page(page, report.dump()));
  EXPECT_EQ(nlohmann::json::parse(inside), report);
  EXPECT_EQ(inside.find('<'), std::string::npos);
  EXPECT_EQ(inside.find("\xE2\x80\xA8"), std::string::npos);
  EXPECT_EQ(inside.find("\xE2\x80\xA9"), std::string::npos);
}

TEST(FillPage, KeepsTextThatEndsInsideACharacter) {
  EXPECT_EQ(fill_page("@SEXTANT_REPORT@", "\xE2\x80"), "\xE2\x80");
}

TEST(FillPage, RefusesABuildWithoutPageAndAPageWithoutPlace) {
  EXPECT_EQ(code_of_filling(""), ErrorCode::kUsage);
  EXPECT_EQ(code_of_filling("<html>"), ErrorCode::kInternal);
}

TEST(ReportPage, IsWholeAndAllowsNoScriptAndNoRequestButItsOwn) {
  if (!has_report_page()) GTEST_SKIP() << "this build has no page: npm was not found";
  const std::string page = report_page(R"({"schema":1})");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_EQ(embedded(page), R"({"schema":1})");
  EXPECT_EQ(page.find("@SEXTANT_REPORT@"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(page.find("unsafe-inline"), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_LT(page.size(), 700'000u);
}

}  // namespace
}  // namespace sextant
