// SPDX-License-Identifier: Apache-2.0
// The encoding `generator`: blocks of a spec, and generators that do not commute.
#include <gtest/gtest.h>

#include <cmath>

#include "sextant/registry.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

QueryKeyMap map_of(const std::string& spec, const TensorMap& tensors = {}) {
  const auto encoding = encodings().make(spec, tensors);
  return *encoding->effects({.dim = encoding->dim()}).query_key;
}

Position at(double x, double y) {
  const double coordinates[] = {x, y};
  return Position(coordinates);
}

// Turns of space about its first and its second axis.
TensorMap two_turns() {
  return {{"file",
           {.shape = {2, 3, 3},
            .values = {0, 0, 0, 0, 0, -1, 0, 1, 0,  //
                       0, 0, 1, 0, 0, 0, -1, 0, 0}}}};
}
constexpr char kAny[] = "generator(commuting=any)";

TEST(GeneratorBlocks, FillTheDimension) {
  const auto encoding = encodings().make("generator(decay=-0.1:-0.2,frequency=0.5:1,size=2:1)");
  EXPECT_EQ(encoding->dim(), 6);
  EXPECT_EQ(encoding->spec(), "generator(decay=-0.1:-0.2,frequency=0.5:1,size=2:1)");
  expect_error(ErrorCode::kUsage, "dim must be 6", [&] { encoding->effects({.dim = 8}); });
  const double t = 3.0;
  const Matrix a = encoding->effects({.dim = 6}).query_key->at(t);
  EXPECT_NEAR(a(0, 0), std::exp(-0.3) * std::cos(1.5), 1e-15);
  EXPECT_NEAR(a(1, 0), std::exp(-0.3) * std::sin(1.5), 1e-15);
  EXPECT_NEAR(a(0, 2), t * std::exp(-0.3) * std::cos(1.5), 1e-15);
  EXPECT_NEAR(a(5, 4), std::exp(-0.6) * std::sin(3.0), 1e-15);
  EXPECT_EQ(a(0, 4), 0.0);
}

TEST(GeneratorBlocks, OneValueIsForAll) {
  const Matrix a = map_of("generator(decay=-0.1,size=2:3,coupling=0.5)").at(2.0);
  const Matrix b = map_of("generator(decay=-0.1:-0.1,size=2:3,coupling=0.5:0.5)").at(2.0);
  EXPECT_TRUE(std::ranges::equal(a.values(), b.values()));
  EXPECT_NEAR(a(0, 1), 0.5 * 2.0 * std::exp(-0.2), 1e-15);
}

TEST(GeneratorBlocks, RefuseWhatDoesNotFitTogether) {
  const auto refused = [](const char* spec, const char* reason, const TensorMap& tensors = {}) {
    expect_error(ErrorCode::kUsage, reason, [&] { encodings().make(spec, tensors); });
  };
  refused("generator", "needs file=FILE.npy or decay, frequency, size, coupling");
  refused("generator(decay=-1)", "decay must not go with a file", two_turns());
  refused("generator(decay=1:2:3,size=1:2)", "size must have one value or 3");
  refused("generator(size=1.5)", "size must be a whole number");
  refused("generator(size=2,commuting=any)", "commuting must go with a file");
}

TEST(GeneratorBlocks, ClaimsFollowTheBlocks) {
  const auto claims = [](const char* spec) { return encodings().make(spec)->claims(); };
  EXPECT_EQ(claims("generator(frequency=1:2)").orthogonal, Claim::kYes);
  EXPECT_EQ(claims("generator(size=2)").bounded, Claim::kNo);
  EXPECT_EQ(claims("generator(size=2)").needs_causal_mask, Claim::kYes);
  EXPECT_EQ(claims("generator(size=2,coupling=0)").separates, Claim::kNo);
  EXPECT_EQ(claims("generator(decay=-1,size=2)").bounded, Claim::kYes);
  EXPECT_EQ(claims("generator(decay=1)").needs_causal_mask, Claim::kNo);
}

TEST(GeneratorsThatDoNotCommute, AreRefusedUnlessAllowed) {
  expect_error(ErrorCode::kMalformed, "must commute but |XY-YX| is 0.707 of |X||Y|",
               [] { encodings().make("generator", two_turns()); });
  EXPECT_NO_THROW(encodings().make(kAny, two_turns()));
}

TEST(GeneratorsThatDoNotCommute, AreBoundedWhereAllAreSkew) {
  const Claims turns = encodings().make(kAny, two_turns())->claims();
  EXPECT_EQ(turns.bounded, Claim::kYes);
  EXPECT_EQ(turns.needs_causal_mask, Claim::kNo);
  // s [-1, 4; 0, -1] + 100 t [-1, 0; 4, -1] has the eigenvalues -(s + 100 t) +- 4 sqrt(100 s t): it
  // decays for (1, 0), (0, 1) and (1, 1), and grows for (100, 1).
  const TensorMap decays = {
      {"file", {.shape = {2, 2, 2}, .values = {-1, 4, 0, -1, -100, 0, 400, -100}}}};
  const auto encoding = encodings().make(kAny, decays);
  EXPECT_EQ(encoding->claims().bounded, Claim::kNo);
  const QueryKeyMap map = *encoding->effects({.dim = 2}).query_key;
  EXPECT_NEAR(map.at(at(0.5, 0.005))(0, 0), std::exp(-1.0) * std::cosh(2.0), 1e-14);
}

TEST(GeneratorsThatDoNotCommute, SayHowFarTheyAreFromRelative) {
  const auto encoding = encodings().make(kAny, two_turns());
  EXPECT_EQ(encoding->claims().translation_invariant, Claim::kNo);
  EXPECT_EQ(encoding->claims().group, Claim::kNo);
  EXPECT_EQ(encoding->claims().orthogonal, Claim::kYes);
  EXPECT_NE(encoding->info().notes.find("approximately relative"), std::string_view::npos);
  EXPECT_DOUBLE_EQ(map_of(kAny, two_turns()).commutator_norm(), std::sqrt(0.5));
}

// R_x(a) R_y(-b) for a query at (a, 0) and a key at (0, b).
TEST(GeneratorsThatDoNotCommute, TurnTheQueryThenTheKey) {
  const QueryKeyMap map = map_of(kAny, two_turns());
  const double a = 0.7, b = 1.9;
  const double expected[3][3] = {
      {std::cos(b), 0.0, -std::sin(b)},
      {-std::sin(a) * std::sin(b), std::cos(a), -std::sin(a) * std::cos(b)},
      {std::cos(a) * std::sin(b), std::sin(a), std::cos(a) * std::cos(b)}};
  const Matrix found = map.between(at(a, 0.0), at(0.0, b));
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) EXPECT_NEAR(found(i, j), expected[i][j], 1e-15) << i << j;
}

TEST(GeneratorsThatDoNotCommute, GiveTheLogitOfTheirPairForm) {
  const Extent extent{.dim = 3};
  const auto effects = encodings().make(kAny, two_turns())->effects(extent);
  const Vector q = {1.0, -2.0, 0.5}, k = {0.3, 0.1, 2.0};
  const Position s = at(70.5, -3.0), t = at(66.0, 129.0);
  EXPECT_NEAR(fast_logit(effects, 0, s, t, q, k), pair_form(effects, extent, 0, s, t)(q, k), 1e-13);
}

// The sum of both turns is one about the diagonal, by sqrt(2) of the position.
TEST(GeneratorsThatDoNotCommute, AreRelativeAlongALineThroughTheOrigin) {
  const QueryKeyMap map = map_of(kAny, two_turns());
  const Matrix near = map.between(5.0, 2.0), far = map.between(1e6 + 5.0, 1e6 + 2.0);
  EXPECT_TRUE(std::ranges::equal(near.values(), far.values()));
  EXPECT_NEAR(near(0, 0) + near(1, 1) + near(2, 2), 1.0 + 2.0 * std::cos(3.0 * std::sqrt(2.0)),
              1e-14);
  const Matrix vectors = map.between(at(5.0, 5.0), at(2.0, 2.0));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(vectors.values()[i], near.values()[i], 1e-14);
}

TEST(GeneratorsThatDoNotCommute, StillNeedOneCoordinateEach) {
  const QueryKeyMap map = map_of(kAny, two_turns());
  const double three[] = {1.0, 2.0, 3.0};
  expect_error(ErrorCode::kUsage, "1 or 2 coordinates",
               [&] { map.between(at(1.0, 2.0), Position(three)); });
}

}  // namespace
}  // namespace sextant
