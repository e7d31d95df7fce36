// SPDX-License-Identifier: Apache-2.0
// Puts a report into the page. JSON inside a script element must not hold "</script" or "<!--", and
// old parsers read U+2028 and U+2029 as ends of lines; in JSON all three stand in strings only,
// where an escape means the same.
#include "report/page.h"

#include "base/check.h"
#include "report/page_template.h"

namespace sextant {
namespace {

constexpr std::string_view kPlaceholder = "@SEXTANT_REPORT@";
constexpr std::string_view kLineSeparator = "\xE2\x80\xA8";       // U+2028
constexpr std::string_view kParagraphSeparator = "\xE2\x80\xA9";  // U+2029

void append_escaped(std::string& page, std::string_view json) {
  while (!json.empty()) {
    if (json.front() == '<') {
      page += "\\u003c";
      json.remove_prefix(1);
    } else if (json.starts_with(kLineSeparator)) {
      page += "\\u2028";
      json.remove_prefix(kLineSeparator.size());
    } else if (json.starts_with(kParagraphSeparator)) {
      page += "\\u2029";
      json.remove_prefix(kParagraphSeparator.size());
    } else {
      page += json.front();
      json.remove_prefix(1);
    }
  }
}

}  // namespace

bool has_report_page() { return !kPageTemplate.empty(); }

std::string report_page(std::string_view report_json) {
  return fill_page(kPageTemplate, report_json);
}

std::string fill_page(std::string_view page, std::string_view report_json) {
  if (page.empty()) {
    fail(ErrorCode::kUsage, "report.html", "this build has no page; build with npm installed");
  }
  const std::size_t at = page.find(kPlaceholder);
  if (at == std::string_view::npos) {
    fail(ErrorCode::kInternal, "report.html", "the page has no place for the report");
  }
  std::string filled;
  filled.reserve(page.size() + report_json.size() + report_json.size() / 16);
  filled += page.substr(0, at);
  append_escaped(filled, report_json);
  filled += page.substr(at + kPlaceholder.size());
  return filled;
}

}  // namespace sextant
