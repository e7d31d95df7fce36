// SPDX-License-Identifier: Apache-2.0
// Bugs of the factor on cos and sin that were reported in public against other programs, S1 to S6
// of docs/bugs.md, as tests of this one. At position 0 the cosine is the factor itself.
#include <gtest/gtest.h>

#include <cmath>

#include "support/ladder.h"
#include "support/table_values.h"

namespace sextant {
namespace {

// The cosine of YaRN at position 0, by way of the table.
double factor_on_cos(const std::string& keys) {
  const auto encoding = encodings().make("rope(scaling=yarn,original=4096," + keys + ")");
  return values(make_table(*encoding, {.kind = TableKind::kCos,
                                       .positions = Positions::range(1),
                                       .extent = {.dim = 64},
                                       .dtype = Dtype::kF64}))[0];
}

// vllm#46280, #48351, mlx-lm#1507: Laguna-XS says factor 64 and attention_factor 1.
TEST(ScalingBugs, S1AnExplicitAttentionFactorIsUsed) {
  for (const char* factor : {"1", "4", "64"})
    for (const double own : {0.5, 1.0, 1.25, 2.0})
      EXPECT_EQ(factor_on_cos("factor=" + std::string(factor) +
                              ",attention_factor=" + std::to_string(own)),
                own);
  EXPECT_NEAR(factor_on_cos("factor=64"), 1.4158883083359672, 1e-15);  // without it: 1 + ln(64)/10
}

// sglang#33558: the final factor, 1 + ln(128)/10 = 1.4852030263919617, was multiplied by itself.
// It enters a logit twice, once with the query and once with the key, and no third time.
TEST(ScalingBugs, S2AnExplicitAttentionFactorIsFinal) {
  const std::string keys = "factor=128,attention_factor=1.4852030263919617";
  EXPECT_NEAR(factor_on_cos(keys), 1.4852030263919617, 1e-15);
  const auto map =
      encodings().make("rope(scaling=yarn,original=4096," + keys + ")")->effects({.dim = 4});
  EXPECT_NEAR(map.query_key->at(0.0)(0, 0), 2.2058280296, 5e-11);  // its square
  const Vector unit = {1.0, 0.0, 0.0, 0.0};
  EXPECT_NEAR(fast_logit(map, 0, 7.0, 7.0, unit, unit), 2.2058280296, 5e-11);
}

// TensorRT-LLM#16379: 1 + ln(f)/10, once.
TEST(ScalingBugs, S3TheLogarithmIsTakenOnce) {
  for (const auto& [factor, expected] :
       {std::pair{"4", 1.1386294361119891}, std::pair{"8", 1.2079441541679836},
        std::pair{"16", 1.2772588722239781}, std::pair{"32", 1.3465735902799727},
        std::pair{"40", 1.3688879454113936}, std::pair{"64", 1.4158883083359672},
        std::pair{"128", 1.4852030263919617}})
    EXPECT_NEAR(factor_on_cos(std::string("factor=") + factor), expected, 1e-15) << factor;
}

// vllm#48621, #48623, sglang#22711: equal weights cancel, where 1 + ln(16)/10 = 1.2773 was used.
TEST(ScalingBugs, S4EqualWeightsOfTheLogarithmCancel) {
  for (const char* weight : {"0.707", "1", "2"})
    EXPECT_EQ(
        factor_on_cos(std::string("factor=16,mscale=") + weight + ",mscale_all_dim=" + weight),
        1.0);
}

// exllamav3#259 reads the two weights the other way and wants the logarithm kept. Both readings
// can be said: the quotient by its weights, the other by its number, which wins.
TEST(ScalingBugs, S5BothReadingsOfTheWeightsCanBeSaid) {
  const std::string weights = "factor=16,mscale=1,mscale_all_dim=1";
  EXPECT_EQ(factor_on_cos(weights), 1.0);
  EXPECT_EQ(factor_on_cos(weights + ",attention_factor=1.25"), 1.25);
}

// imp#880, llama.cpp#7118, with DeepSeek-V2's factor 40: m(k) = 1 + k ln(40)/10 is 1.3688879 for
// k = 1 and 1.2608038 for 0.707. The quotient counts, and neither m alone.
TEST(ScalingBugs, S6TheWeightsEnterAsAQuotient) {
  const auto m = [](double weight) { return 1.0 + weight * std::log(40.0) / 10.0; };
  EXPECT_NEAR(m(0.707), 1.2608038, 5e-8);
  EXPECT_EQ(factor_on_cos("factor=40,mscale=0.707,mscale_all_dim=0.707"), 1.0);
  EXPECT_NEAR(factor_on_cos("factor=40,mscale=1,mscale_all_dim=0.707"), m(1.0) / m(0.707), 1e-15);
  EXPECT_NEAR(factor_on_cos("factor=40,mscale=0.707,mscale_all_dim=1"), m(0.707) / m(1.0), 1e-15);
}

}  // namespace
}  // namespace sextant
