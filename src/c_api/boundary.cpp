// SPDX-License-Identifier: Apache-2.0
#include "c_api/boundary.h"

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "sextant/registry.h"

namespace sextant::c_api {
namespace {

// `shown` is `text`, or a literal where there was no memory for that.
struct LastError {
  std::string text;
  const char* shown = "";
};
thread_local LastError last_error;

sextant_status report(sextant_status status, const char* message) noexcept {
  try {
    last_error.text = message;
    last_error.shown = last_error.text.c_str();
  } catch (...) {
    last_error.shown = "error: no memory for its text";
  }
  return status;
}

sextant_status status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return SEXTANT_USAGE;
    case ErrorCode::kMalformed:
      return SEXTANT_MALFORMED;
    case ErrorCode::kUnreadable:
      return SEXTANT_UNREADABLE;
    case ErrorCode::kRefused:
      return SEXTANT_REFUSED;
    case ErrorCode::kUnwritable:
      return SEXTANT_UNWRITABLE;
    case ErrorCode::kNumeric:
      return SEXTANT_NUMERIC;
    case ErrorCode::kCheckpoint:
      return SEXTANT_CHECKPOINT;
    case ErrorCode::kRankLost:
      return SEXTANT_RANK_LOST;
    case ErrorCode::kInternal:
      return SEXTANT_INTERNAL;
  }
  return SEXTANT_INTERNAL;
}

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = encodings().names();
  return all;
}

}  // namespace

sextant_status caught() noexcept {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const Error& error) {
    return report(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return report(SEXTANT_REFUSED, "memory: there is not enough of it");
  } catch (const std::length_error&) {
    return report(SEXTANT_REFUSED, "memory: a size is beyond what it can hold");
  } catch (const std::exception& error) {
    return report(SEXTANT_INTERNAL, error.what());
  } catch (...) {
    return report(SEXTANT_INTERNAL, "unknown exception");
  }
}

std::size_t size_of(std::int64_t count, std::string_view argument) {
  require(count >= 0, argument, "must not be negative but is {}", count);
  return static_cast<std::size_t>(count);
}

Dtype dtype_of(sextant_dtype dtype) {
  switch (dtype) {
    case SEXTANT_F64:
      return Dtype::kF64;
    case SEXTANT_F32:
      return Dtype::kF32;
    case SEXTANT_F16:
      return Dtype::kF16;
    case SEXTANT_BF16:
      return Dtype::kBF16;
    default:
      fail(ErrorCode::kUsage, "dtype", "must be {} to {} but is {}", int{SEXTANT_F64},
           int{SEXTANT_BF16}, dtype);
  }
}

}  // namespace sextant::c_api

using namespace sextant::c_api;

int32_t sextant_c_abi_version(void) { return SEXTANT_C_ABI_VERSION; }

const char* sextant_version(void) { return SEXTANT_VERSION; }

const char* sextant_last_error(void) { return last_error.shown; }

sextant_status sextant_encoding_count(int64_t* count) {
  return guarded([&] { deref(count, "count") = static_cast<int64_t>(names().size()); });
}

sextant_status sextant_encoding_name(int64_t index, const char** name) {
  return guarded([&] {
    deref(name, "name") = nullptr;
    sextant::require(index >= 0 && index < static_cast<int64_t>(names().size()), "index",
                     "must be 0 to {} but is {}", names().size() - 1, index);
    *name = names()[static_cast<std::size_t>(index)].c_str();
  });
}
