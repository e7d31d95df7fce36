// SPDX-License-Identifier: Apache-2.0
// Nine structures in twenty random bases of condition 20 each, with noise: the blocks must be found
// again, or the answer must say that it is not sure.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sextant/classify.h"
#include "support/jordan_matrix.h"

namespace sextant {
namespace {

struct Structure {
  const char* name;
  std::vector<BlockFamily> families;
};

std::vector<Structure> structures() {
  return {
      {"distinct decays", {block(-1.2, 0), block(-0.7, 0), block(-0.3, 0), block(0.4, 0)}},
      {"rotations", {block(0, 0.25), block(0, 0.6), block(0, 1)}},
      {"spirals", {block(-0.5, 0.4), block(-0.2, 1), block(0.3, 0.7)}},
      {"zeros and a rotation", {block(0, 0, 1, 3), block(0, 1)}},
      {"real chains", {block(-1, 0, 3), block(0, 0, 2), block(0.8, 0)}},
      {"a long nilpotent chain", {block(0, 0, 4), block(0, 1)}},
      {"complex chains", {block(0, 1, 3), block(-0.6, 0.5, 2)}},
      {"one rotation three times", {block(-0.5, 0, 2, 2), block(0, 0.8, 1, 3)}},
      {"chains of one eigenvalue",
       {block(-0.8, 0), block(0, 0, 2), block(0, 0, 3), block(0, 1), block(0, 1, 2)}},
  };
}

double distance(const BlockFamily& a, const BlockFamily& b) {
  return std::hypot(a.decay - b.decay, a.frequency - b.frequency);
}

// Kinds, sizes and counts agree, and the numbers within `tolerance`.
bool agree(const std::vector<BlockFamily>& expected, std::vector<BlockFamily> found,
           double tolerance) {
  if (found.size() != expected.size()) return false;
  return std::all_of(expected.begin(), expected.end(), [&](const BlockFamily& e) {
    const auto match = std::find_if(found.begin(), found.end(), [&](const BlockFamily& f) {
      return f.kind == e.kind && f.size == e.size && f.count == e.count &&
             distance(e, f) <= tolerance;
    });
    if (match == found.end()) return false;
    found.erase(match);
    return true;
  });
}

// Calls `check` with the structure, the answer and what to say of it.
template <typename Check>
void for_each_case(double noise, Check check) {
  std::uint64_t seed = 0;
  for (const Structure& structure : structures()) {
    const Matrix exact = jordan_matrix(structure.families);
    for (int draw = 0; draw < 20; ++draw) {
      ++seed;
      const Matrix x = with_noise(similar(exact, 20.0, seed), noise, seed);
      const GeneratorClass found = classify_generator(x, {.noise = std::max(noise, 1e-12)});
      check(structure, found,
            std::string(structure.name) + ", draw " + std::to_string(draw) + ": " +
                describe(found.families));
    }
  }
}

class GeneratorLabel : public testing::TestWithParam<double> {};

TEST_P(GeneratorLabel, IsRightInEveryBasis) {
  // A mean moves by at most |P| |E| <= 20 noise |X|, to first order; the rest is for the basis of
  // the chains.
  const double noise = GetParam();
  for_each_case(
      noise, [&](const Structure& structure, const GeneratorClass& found, const std::string& text) {
        const double tolerance = 100.0 * std::max(noise, 1e-12) * found.norm;
        EXPECT_TRUE(agree(structure.families, found.families, tolerance)) << text;
      });
}
INSTANTIATE_TEST_SUITE_P(Noises, GeneratorLabel, testing::Values(0.0, 1e-12, 1e-8, 1e-6));

TEST(GeneratorLabel, SaysWhereLargeNoiseMakesItUncertain) {
  int wrong = 0, sure = 0;
  for_each_case(
      1e-4, [&](const Structure& structure, const GeneratorClass& found, const std::string& text) {
        sure += !found.ambiguous;
        if (agree(structure.families, found.families, 0.1)) return;
        ++wrong;
        EXPECT_TRUE(found.ambiguous) << text;
      });
  RecordProperty("wrong", wrong);
  RecordProperty("sure", sure);
  EXPECT_GT(sure, 0);
}

// Many long chains of one growing eigenvalue are beyond what can be put together. What is said of
// them must not be that they stay bounded.
TEST(GeneratorLabel, KeepsTheGrowthOfChainsThatItCannotPutTogether) {
  const Matrix x = similar(jordan_matrix(std::vector{block(0.3, 0.5, 4, 5)}), 20.0, 7);
  const GeneratorClass found = classify_generator(x);
  EXPECT_EQ(found.stability, Stability::kGrowsExponentially) << describe(found.families);
  EXPECT_TRUE(found.ambiguous || agree({block(0.3, 0.5, 4, 5)}, found.families, 1e-6 * found.norm))
      << describe(found.families);
}

}  // namespace
}  // namespace sextant
