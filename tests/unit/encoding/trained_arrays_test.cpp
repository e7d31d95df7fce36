// SPDX-License-Identifier: Apache-2.0
// Encodings that take an array of trained numbers in place of their parameters.
#include <gtest/gtest.h>

#include <cmath>

#include "sextant/registry.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

TensorMap array(const char* name, Index rows, Index cols, Vector values) {
  return {{name, {.shape = {rows, cols}, .values = std::move(values)}}};
}

double bias(const std::string& spec, const TensorMap& tensors, Index head, double lag) {
  return encodings().make(spec, tensors)->effects({.heads = 2}).logit->at(head, lag, 0.0);
}

TEST(TrainedArrays, HoldTheSlopesOfAlibi) {
  const TensorMap slopes = array("per_head", 1, 2, {0.5, -0.25});
  EXPECT_EQ(encodings().make("alibi", slopes)->heads(), 2);
  EXPECT_EQ(bias("alibi", slopes, 0, 3.0), -1.5);
  EXPECT_EQ(bias("alibi", slopes, 1, -4.0), 1.0);
  EXPECT_EQ(bias("alibi", array("per_head", 1, 1, {2.0}), 1, 4.0), -8.0) << "one for all heads";
}

TEST(TrainedArrays, HoldTheStrengthsAndRatesOfKerple) {
  const TensorMap values = array("per_head", 2, 2, {1.0, 2.0, 0.5, 3.0});
  EXPECT_EQ(encodings().make("kerple", values)->heads(), 2);
  EXPECT_DOUBLE_EQ(bias("kerple", values, 0, 8.0), -std::log(5.0));
  EXPECT_DOUBLE_EQ(bias("kerple", values, 1, 1.0), -2.0 * std::log(4.0));
  expect_error(ErrorCode::kUsage, "r2 must be at most 2",
               [&] { encodings().make("kerple(kind=power)", values); });
}

TEST(TrainedArrays, HoldTheRatesOfDecay) {
  const auto encoding = encodings().make("decay", array("rates", 1, 2, {0.5, 0.25}));
  EXPECT_EQ(encoding->dim(), 2);
  const Matrix a = encoding->effects({.dim = 2}).query_key->at(4.0);
  EXPECT_NEAR(a(0, 0), std::exp(-2.0), 1e-15);
  EXPECT_NEAR(a(1, 1), std::exp(-1.0), 1e-15);
  EXPECT_EQ(a(0, 1), 0.0);
  expect_error(ErrorCode::kUsage, "dim must be the 2 columns of rates but got 3",
               [&] { encoding->effects({.dim = 3}); });
}

TEST(TrainedArrays, DoNotGoWithWhatTheyReplace) {
  const TensorMap slopes = array("per_head", 1, 1, {1.0}), both = array("per_head", 2, 1, {1, 1}),
                  rates = array("rates", 1, 1, {1.0});
  const auto refused = [](const char* spec, const TensorMap& tensors) {
    expect_error(ErrorCode::kUsage, "must not", [&] { encodings().make(spec, tensors); });
  };
  refused("alibi(slope=1)", slopes);
  refused("alibi(max_bias=4)", slopes);
  refused("kerple(r1=2)", both);
  refused("kerple(r2=2)", both);
  refused("decay(rate=1)", rates);
  refused("decay(base=10)", rates);
}

TEST(TrainedArrays, HaveTheirShapeAndRange) {
  const auto malformed = [](const char* spec, const char* reason, const TensorMap& tensors) {
    expect_error(ErrorCode::kMalformed, reason, [&] { encodings().make(spec, tensors); });
  };
  malformed("alibi", "must have 1 rows and a column per head but is 2 x 1",
            array("per_head", 2, 1, {1, 1}));
  malformed("kerple", "must have 2 rows and a column per head but is 1 x 2",
            array("per_head", 1, 2, {1, 1}));
  malformed("kerple", "r1 and r2 must be positive but one is 0", array("per_head", 2, 1, {1, 0}));
  malformed("decay", "one row of positive numbers", array("rates", 1, 2, {1, -1}));
}

}  // namespace
}  // namespace sextant
