// SPDX-License-Identifier: Apache-2.0
#include "sextant/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/expect_error.h"

namespace sextant {
namespace {

void expect_usage(const std::string& spec, const std::string& message) {
  expect_error(ErrorCode::kUsage, message, [&] { encodings().make(spec); });
}

TEST(EncodingRegistry, HoldsAtLeastTheTwentyFiveEncodingsOfTheField) {
  const auto names = encodings().names();
  EXPECT_GE(names.size(), 25u);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(EncodingRegistry, EveryInfoIsComplete) {
  for (const std::string& name : encodings().names()) {
    const EncodingInfo& info = encodings().info(name);
    EXPECT_FALSE(info.title.empty() || info.formula.empty() || info.reference.empty()) << name;
    for (const ParamInfo& param : info.params) EXPECT_FALSE(param.doc.empty()) << name;
  }
}

TEST(EncodingRegistry, SuggestsTheNearestName) {
  expect_usage("rpoe", "there is no encoding 'rpoe' (did you mean 'rope'?)");
  expect_usage("rope+alibbi", "character 6: there is no encoding 'alibbi' (did you mean 'alibi'?)");
  expect_usage("rope(bse=3)", "rope has no parameter 'bse' (did you mean 'base'?)");
  expect_usage("rope(pairing=halv)", "must be one of half|interleaved but got 'halv'");
}

TEST(EncodingRegistry, NamesTheCharacterOfABadValue) {
  expect_usage("rope(base=0.5)", "character 11: base must be between 1 and 1000000000000");
  expect_usage("rope(base=nan)", "character 11: base must be a finite number but got 'nan'");
  expect_usage("jordan(order=2.5)", "order must be a whole number");
  expect_usage("rope(base=2,base=3)", "'base' must be given once");
}

TEST(EncodingRegistry, PrintsOnlyWhatIsNotTheDefault) {
  EXPECT_EQ(encodings().make("rope(pairing=half,base=5e5)")->spec(), "rope(base=500000)");
  EXPECT_EQ(encodings().make("alibi(slope=1/256)")->spec(), "alibi(slope=0.00390625)");
  EXPECT_EQ(encodings().make("rope(base=1e4)+none")->spec(), "rope+none");
}

TEST(EncodingRegistry, RefusesKeysThatWouldDoNothing) {
  expect_usage("rope(factor=8)", "factor must go with a scaling that reads it, not none");
  expect_usage("rope(scaling=linear,low=2)", "low must go with a scaling that reads it");
  expect_usage("rope(scaling=yarn,factor=8)", "needs original=N");
  expect_usage("alibi(schedule=log)", "must be given together");
  expect_usage("jordan(regime=raw,scale=3)", "scale must go with");
  expect_usage("sinusoidal(positions=clamp)", "clamp needs train=N");
}

TEST(EncodingRegistry, RefusesImpossibleSizes) {
  const auto expect = [](const char* spec, Extent extent, const char* message) {
    expect_error(ErrorCode::kUsage, message, [&] { encodings().make(spec)->effects(extent); });
  };
  expect("rope", {.dim = 7}, "dim must be even");
  expect("rope", {.dim = 0}, "dim must be even and positive");
  expect("rope(scaling=ntk,factor=2)", {.dim = 2}, "dim must be above 2");
  expect("rope(partial=0.3)", {.dim = 64}, "leaves 19 of 64");
  expect("mrope(sections=2:3)", {.dim = 8}, "sections must sum to dim/2 = 4 but sum to 5");
  expect("jordan(order=3)", {.dim = 8}, "multiple of 6");
  expect("alibi(heads=12)", {.heads = 8}, "heads must be 12 but got 8");
  expect("rope(scaling=longrope,original=8,short_factor=1:1,long_factor=1)", {.dim = 8},
         "short_factor must have 4 entries but got 2");
}

TEST(EncodingRegistry, TensorsOfTheCallerReachTheEncoding) {
  const Tensor rows{.shape = {2, 3}, .values = {1, 2, 3, 4, 5, 6}};
  const auto encoding = encodings().make("table", {{"file", rows}});
  Vector row(3);
  encoding->effects({.dim = 3}).input->row(1.0, row);
  EXPECT_EQ(row, (Vector{4, 5, 6}));
}

TEST(EncodingRegistry, SaysWhichFileIsMissing) {
  expect_usage("table", "table needs file=FILE.npy; write table:FILE.npy");
  expect_error(ErrorCode::kUnreadable, "no/such.npy",
               [] { encodings().make("table:no/such.npy"); });
}

TEST(EncodingRegistry, RefusesGeneratorsThatDoNotCommute) {
  const Tensor pair{.shape = {2, 2, 2}, .values = {0, 1, 0, 0, 0, 0, 1, 0}};
  expect_error(ErrorCode::kMalformed, "must commute but |XY-YX| is 1.41 of |X||Y|", [&] {
    encodings().make("generator", {{"file", pair}});
  });
}

TEST(EncodingRegistry, CommutingGeneratorsTakeOneCoordinateEach) {
  const Tensor pair{.shape = {2, 2, 2}, .values = {0, -1, 1, 0, -0.5, 0, 0, -0.5}};
  const auto effects = encodings().make("generator", {{"file", pair}})->effects({.dim = 2});
  const double lag[] = {0.3, 2.0};
  const Matrix a = effects.query_key->at(Position(lag));
  EXPECT_NEAR(a(0, 0), std::exp(-1.0) * std::cos(0.3), 1e-15);
  EXPECT_NEAR(a(1, 0), std::exp(-1.0) * std::sin(0.3), 1e-15);
}

TEST(Compose, RefusesTwoQueryKeyMaps) {
  expect_usage("rope+xpos", "the query/key site must have one encoding but got a second one");
}

TEST(Compose, AddsBiasesAndRows) {
  const Extent extent{.dim = 4, .heads = 1};
  const auto sum = encodings().make("alibi(slope=0.5)+kerple")->effects(extent);
  EXPECT_DOUBLE_EQ(sum.logit->at(0, 1.0, 0.0), -0.5 - std::log(2.0));
  const auto twice = encodings().make("sinusoidal+sinusoidal")->effects(extent);
  const auto once = encodings().make("sinusoidal")->effects(extent);
  Vector a(4), b(4);
  twice.input->row(3.0, a);
  once.input->row(3.0, b);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(a[i], 2.0 * b[i]);
}

TEST(Grape, IsTheExponentialOfItsSkewGenerator) {
  const Tensor ab{.shape = {2, 3}, .values = {1, 2, 0.5, -0.3, 0.7, 2}};
  const auto effects =
      encodings().make("grape(frequency=0.5)", {{"file", ab}})->effects({.dim = 3});
  const Matrix x = effects.query_key->groups[0].generator();
  const double* a = ab.values.data();
  const double* b = a + 3;
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(x(i, j), 0.5 * (a[i] * b[j] - b[i] * a[j]), 1e-15) << i << "," << j;
}

}  // namespace
}  // namespace sextant
