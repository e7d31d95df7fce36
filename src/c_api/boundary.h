// SPDX-License-Identifier: Apache-2.0
// What every function of the C interface does: call C++, turn what it throws into a status, check
// pointers and codes.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/check.h"
#include "sextant/sextant_c.h"
#include "sextant/table.h"

namespace sextant::c_api {

// The status of the exception in flight, after its text became that of sextant_last_error().
// REQUIRES: called in a handler.
sextant_status caught() noexcept;

// Runs `work`; no exception leaves.
template <typename Work>
sextant_status guarded(Work&& work) noexcept {
  try {
    work();
    return SEXTANT_OK;
  } catch (...) {
    return caught();
  }
}

// Throws kUsage for a null pointer, and for one to no multiple of `alignment` bytes.
template <typename T>
T* aligned(T* pointer, std::size_t alignment, std::string_view argument) {
  require(pointer != nullptr, argument, "must not be null");
  require(reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0, argument,
          "must be aligned to {} bytes", alignment);
  return pointer;
}

// What a pointer to one or more T points to, after the same checks.
template <typename T>
T& deref(T* pointer, std::string_view argument) {
  return *aligned(pointer, alignof(T), argument);
}

// *made = what make() returns, or NULL where it throws.
template <typename Handle, typename Make>
sextant_status guarded_make(Handle** made, Make&& make) {
  return guarded([&] {
    deref(made, "made") = nullptr;
    *made = new Handle{make()};
  });
}

// A count that must not be negative, for containers.
std::size_t size_of(std::int64_t count, std::string_view argument);

Dtype dtype_of(sextant_dtype dtype);

}  // namespace sextant::c_api
