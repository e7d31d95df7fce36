// SPDX-License-Identifier: Apache-2.0
// States which Error a call throws.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "sextant/error.h"

namespace sextant {

// The call throws Error with `code` and a one-line message that contains `part`.
template <typename Call>
void expect_error(ErrorCode code, std::string_view part, Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(exit_status(error.code()), exit_status(code)) << what;
    EXPECT_NE(what.find(part), what.npos) << what << "\nlacks: " << part;
    EXPECT_EQ(what.find('\n'), what.npos) << what;
    return;
  }
  ADD_FAILURE() << "no error, expected: " << part;
}

}  // namespace sextant
