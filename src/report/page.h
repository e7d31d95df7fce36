// SPDX-License-Identifier: Apache-2.0
// report.html: the page of web/ with a report inside.
#pragma once

#include <string>
#include <string_view>

namespace sextant {

// One file that draws `report_json` (docs/report-format.md) in any browser, without a network.
// Throws kUsage where this build has no page (has_report_page() is false).
std::string report_page(std::string_view report_json);

// False where the library was built without npm (SEXTANT_BUILD_PAGE=OFF).
bool has_report_page();

// `page` with `report_json` in its place. The text must be JSON; nothing in it can end the element
// that holds it. Throws kUsage where `page` is empty.
std::string fill_page(std::string_view page, std::string_view report_json);

}  // namespace sextant
