// SPDX-License-Identifier: Apache-2.0
// report.html: the page of web/ with a report inside.
#pragma once

#include <string>
#include <string_view>

namespace sextant {

// One file that draws `report_json` (docs/report-format.md) in any browser, without a network. The
// text must be JSON; nothing in it can end the element that holds it. Throws kUsage where this
// build has no page (has_report_page() is false).
std::string report_page(std::string_view report_json);

// False where the library was built without npm (SEXTANT_BUILD_PAGE=OFF).
bool has_report_page();

}  // namespace sextant
