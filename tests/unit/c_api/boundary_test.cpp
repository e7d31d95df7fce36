// SPDX-License-Identifier: Apache-2.0
#include "c_api/boundary.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <thread>

#include "sextant/registry.h"
#include "support/c_status.h"

namespace sextant {
namespace {

template <typename Exception>
sextant_status status_after(const Exception& exception) {
  return c_api::guarded([&] { throw exception; });
}

TEST(CBoundary, EveryErrorCodeHasTheStatusOfTheCommandLine) {
  for (const ErrorCode code :
       {ErrorCode::kUsage, ErrorCode::kMalformed, ErrorCode::kUnreadable, ErrorCode::kRefused,
        ErrorCode::kUnwritable, ErrorCode::kNumeric, ErrorCode::kCheckpoint, ErrorCode::kRankLost,
        ErrorCode::kInternal}) {
    EXPECT_EQ(static_cast<int>(status_after(Error(code, "here: wrong"))), exit_status(code));
    EXPECT_STREQ(sextant_last_error(), "here: wrong");
  }
}

TEST(CBoundary, NoExceptionLeaves) {
  EXPECT_EQ(status_after(std::bad_alloc()), SEXTANT_REFUSED);
  EXPECT_STREQ(sextant_last_error(), "memory: there is not enough of it");
  EXPECT_EQ(status_after(std::length_error("vector")), SEXTANT_REFUSED);
  EXPECT_EQ(status_after(std::logic_error("a defect")), SEXTANT_INTERNAL);
  EXPECT_STREQ(sextant_last_error(), "a defect");
  EXPECT_EQ(status_after(42), SEXTANT_INTERNAL);
  EXPECT_STREQ(sextant_last_error(), "unknown exception");
}

TEST(CBoundary, AThreadHasItsOwnLastErrorAndSuccessKeepsIt) {
  status_after(Error(ErrorCode::kUsage, "mine"));
  std::thread([] {
    EXPECT_STREQ(sextant_last_error(), "");
    status_after(Error(ErrorCode::kUsage, "another"));
  }).join();
  EXPECT_EQ(c_api::guarded([] {}), SEXTANT_OK);
  EXPECT_STREQ(sextant_last_error(), "mine");
}

TEST(CBoundary, VersionsAreThoseOfHeaderAndRelease) {
  EXPECT_EQ(sextant_c_abi_version(), SEXTANT_C_ABI_VERSION);
  int major = -1, minor = -1, patch = -1;
  EXPECT_EQ(std::sscanf(sextant_version(), "%d.%d.%d", &major, &minor, &patch), 3);
}

TEST(CEncodings, NamesAreThoseOfTheCatalogue) {
  int64_t count = 0;
  ASSERT_EQ(sextant_encoding_count(&count), SEXTANT_OK);
  std::vector<std::string> found;
  for (int64_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    ASSERT_EQ(sextant_encoding_name(i, &name), SEXTANT_OK);
    found.emplace_back(name);
  }
  EXPECT_EQ(found, encodings().names());
  const char* none = "unchanged";
  for (const int64_t index : {int64_t{-1}, count}) {
    expect_fault(sextant_encoding_name(index, &none), SEXTANT_USAGE, "index: must be 0 to");
    EXPECT_EQ(none, nullptr);
  }
  expect_null_is_named(sextant_encoding_count(nullptr), "count");
  expect_null_is_named(sextant_encoding_name(0, nullptr), "name");
}

}  // namespace
}  // namespace sextant
