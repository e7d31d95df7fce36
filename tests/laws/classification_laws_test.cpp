// SPDX-License-Identifier: Apache-2.0
// Claims against the classifier, which reads the pair forms alone.
#include <gtest/gtest.h>

#include "laws/subjects.h"
#include "sextant/classify.h"
#include "sextant/error.h"

namespace sextant {
namespace {

class ClassificationLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Encoding> encoding_ = make_subject(GetParam());
  Extent extent_ = extent_for(*encoding_);
  Claims claims_ = encoding_->claims();
  Sites sites_ = encoding_->info().sites;
};

TEST_P(ClassificationLaws, VerdictsAreAsClaimed) {
  const MapTest test = test_encoding(*encoding_, extent_);
  const bool relative = test.verdict == MapVerdict::kGroup || test.verdict == MapVerdict::kRelative;
  EXPECT_EQ(relative, claims_.translation_invariant == Claim::kYes) << test.reason;

  // The claim is about the query-key site; beside a bias the whole form is no group.
  const bool other_sites = sites_.input || sites_.logit || sites_.key_offset;
  const bool acts = sites_.query_key || other_sites;
  const bool group = acts ? claims_.group == Claim::kYes && !other_sites : true;
  EXPECT_EQ(test.verdict == MapVerdict::kGroup, group) << test.reason;
}

TEST_P(ClassificationLaws, FamiliesAgreeWithTheClaims) {
  const MapTest test = test_encoding(*encoding_, extent_);
  EXPECT_EQ(test.families.has_value(), test.verdict == MapVerdict::kGroup) << test.reason;
  if (!test.families || !sites_.query_key) return;
  const GeneratorClass& x = *test.families;
  const Matrix at_zero = encoding_->effects(extent_).query_key->at(0.0);
  const bool unit = std::abs(at_zero(0, 0) - 1.0) < 1e-12;  // magnitude included, as in the claim
  EXPECT_EQ(x.norm_preserving && unit, claims_.norm_preserving == Claim::kYes);
  const bool bounded = x.stability == Stability::kBounded || x.stability == Stability::kDecays;
  EXPECT_EQ(bounded, claims_.bounded == Claim::kYes) << describe(x.families);
  EXPECT_EQ(x.needs_causal_mask, claims_.needs_causal_mask == Claim::kYes) << describe(x.families);
  EXPECT_LT(test.recovery_residual.value_or(1.0), 1e-10);
}

INSTANTIATE_TEST_SUITE_P(All, ClassificationLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

MapTest tested(const char* spec, Index dim = 8) {
  const auto encoding = encodings().make(spec);
  return test_encoding(*encoding, {.positions = 64, .dim = dim, .heads = 2});
}

TEST(Classification, LiftsAOneSidedLinearBias) {
  const MapTest test = tested("alibi(causal=1)");
  EXPECT_EQ(test.verdict, MapVerdict::kRelative);
  ASSERT_TRUE(test.realisation) << test.reason;
  ASSERT_EQ(test.realisation->generator.families.size(), 1u);
  const BlockFamily& block = test.realisation->generator.families[0];
  EXPECT_EQ(block.kind, BlockKind::kRealJordan);
  EXPECT_EQ(block.size, 2);
  EXPECT_EQ(block.decay, 0.0);
}

TEST(Classification, LiftsATwoSidedLinearBiasUnderAMaskOnly) {
  const MapTest test = tested("alibi");
  EXPECT_EQ(test.verdict, MapVerdict::kRelative);
  EXPECT_FALSE(test.realisation);
  ASSERT_FALSE(test.warnings.empty());
  EXPECT_NE(test.warnings.back().find("causal mask"), std::string::npos);
}

TEST(Classification, FindsNoGroupInLogarithmsAndBuckets) {
  for (const char* spec : {"kerple", "t5", "jordan(regime=stabilised)"}) {
    const MapTest test = tested(spec);
    EXPECT_EQ(test.verdict, MapVerdict::kRelative) << spec;
    EXPECT_FALSE(test.realisation) << spec << ": " << test.reason;
  }
}

// e^(0.8 lag), bounded from lag 300 on: exact at lags 64 and 256, and e^819 is no number.
class Bounded final : public Encoding {
 public:
  const EncodingInfo& info() const override { return info_; }

 private:
  Effects make_effects(const Extent&) const override {
    return {.logit = LogitBias{.at = [](Index, double s, double t) {
              return std::exp(0.8 * std::min(s - t, 300.0));
            }}};
  }
  EncodingInfo info_{.name = "bounded",
                     .claims = {.any_length = Claim::kYes, .needs_causal_mask = Claim::kYes}};
};

TEST(Classification, DropsARealisationThatOverflowsAtFarLags) {
  const MapTest test =
      test_encoding(Bounded(), {.positions = 64, .dim = 2, .heads = 1}, {.noise = 1e-10});
  EXPECT_EQ(test.verdict, MapVerdict::kRelative) << test.reason;
  EXPECT_FALSE(test.realisation);
  EXPECT_NE(test.reason.find("misses lag 1024"), std::string::npos) << test.reason;
}

TEST(Classification, RefusesWidthsThatTakeLong) {
  try {
    tested("rope", 514);
    FAIL() << "expected Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kRefused);
    EXPECT_NE(std::string_view(error.what()).find("512"), std::string_view::npos) << error.what();
  }
}

TEST(Classification, OfNoneIsTheTrivialGroup) {
  const MapTest test = tested("none");
  EXPECT_EQ(test.verdict, MapVerdict::kGroup);
  ASSERT_TRUE(test.families);
  ASSERT_EQ(test.families->families.size(), 1u);
  EXPECT_EQ(test.families->families[0].kind, BlockKind::kNone);
  EXPECT_EQ(test.families->families[0].count, 8);
}

TEST(Classification, SeesThatRowsFollowThePosition) {
  const MapTest test = tested("sinusoidal");
  EXPECT_EQ(test.verdict, MapVerdict::kNotRelative);
  EXPECT_TRUE(test.worst);
}

TEST(Classification, OfSeveralAxesIsThatOfScalarPositions) {
  const MapTest test = tested("axial(axes=2)");
  ASSERT_TRUE(test.families);
  Index planes = 0;
  for (const BlockFamily& block : test.families->families) planes += block.count;
  EXPECT_EQ(planes, 4);
  EXPECT_TRUE(test.families->norm_preserving);
}

}  // namespace
}  // namespace sextant
