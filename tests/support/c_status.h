// SPDX-License-Identifier: Apache-2.0
// What calls of the C interface return, and what they leave behind.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "sextant/sextant_c.h"
#include "support/c_handles.h"

namespace sextant {

// The handle that `make(&handle)` makes.
template <typename Handle, typename Make>
Owned<Handle> owned(Make&& make) {
  Handle* made = nullptr;
  EXPECT_EQ(make(&made), SEXTANT_OK) << sextant_last_error();
  return Owned<Handle>(made);
}

inline void expect_fault(sextant_status status, sextant_status expected, std::string_view part) {
  EXPECT_EQ(status, expected) << sextant_last_error();
  const std::string text = sextant_last_error();
  EXPECT_NE(text.find(part), text.npos) << text << "\nlacks: " << part;
}

inline void expect_null_is_named(sextant_status status, const std::string& argument) {
  expect_fault(status, SEXTANT_USAGE, argument + ": must not be null");
}

// A pointer to T that is not aligned for it.
template <typename T>
T* misaligned(T* pointer) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(pointer) + 1);
}

}  // namespace sextant
