// SPDX-License-Identifier: Apache-2.0
#include "theory/subject.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/check.h"

namespace sextant {
namespace {

TEST(Subject, HasTheShapeThatTheOptionsAskFor) {
  const Subject subject = theorem_subject("rope", {.dim = 64, .heads = 4});
  EXPECT_EQ(subject.shape.dim, 64);
  EXPECT_EQ(subject.shape.heads, 4);
  EXPECT_FALSE(subject.shape.causal);
  EXPECT_TRUE(subject.remark.empty());
}

TEST(Subject, HeadsHaveAMultipleOfFourCoordinates) {
  const Subject odd = theorem_subject("axial", {.dim = 50, .heads = 3});
  EXPECT_EQ(odd.shape.heads, 3);
  EXPECT_EQ(odd.shape.dim, 60);
  const Subject tiny = theorem_subject("rope", {.dim = 1, .heads = 8});
  EXPECT_EQ(tiny.shape.heads, 1);
  EXPECT_EQ(tiny.shape.dim, 4);
  EXPECT_EQ(theorem_subject("rope", {.dim = 1024, .heads = 4}).shape.dim, kMostSubjectDim);
}

TEST(Subject, FollowsWhatTheEncodingFixes) {
  EXPECT_EQ(theorem_subject("alibi(slope=1:2:3)", {.dim = 64, .heads = 4}).shape.heads, 3);
  EXPECT_TRUE(theorem_subject("xpos", {}).shape.causal);
  EXPECT_EQ(theorem_subject("learned", {}).remark, "learned values: an initial draw");
}

TEST(Subject, IsNotApplicableWithoutItsFile) {
  const Subject subject = theorem_subject("table", {});
  EXPECT_EQ(subject.encoding, nullptr);
  const Finding finding = subject_finding(subject, "x", [](Finding&) { FAIL(); });
  EXPECT_EQ(finding.verdict, ClaimVerdict::kNotTestable);
  EXPECT_TRUE(std::isnan(finding.observed));
  EXPECT_EQ(finding.remark.rfind("not applicable: ", 0), 0U);
}

TEST(Subject, AnErrorWhileMeasuringIsAResult) {
  const Subject subject = theorem_subject("rope", {});
  const Finding finding = subject_finding(subject, "x", [](Finding& result) {
    result.verdict = ClaimVerdict::kHolds;
    fail(ErrorCode::kUsage, "rope", "does not fit");
  });
  EXPECT_EQ(finding.verdict, ClaimVerdict::kNotTestable);
  EXPECT_EQ(finding.remark, "not applicable: rope: does not fit");
}

TEST(Subject, UnknownEncodingsAreTheCallersError) {
  EXPECT_THROW(theorem_subject("ropee", {}), Error);
}

TEST(LargestDifference, SeesWhatIsNotANumber) {
  Matrix a(1, 2), b(1, 2);
  b(0, 0) = -3.0;
  EXPECT_EQ(largest_difference(a, b), 3.0);
  b(0, 1) = std::nan("");
  EXPECT_TRUE(std::isnan(largest_difference(a, b)));
}

}  // namespace
}  // namespace sextant
