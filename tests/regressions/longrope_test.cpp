// SPDX-License-Identifier: Apache-2.0
// Bugs of LongRoPE that were reported in public against other programs, S18 to S20 of docs/bugs.md,
// as tests of this one. A sequence has one list: the short one up to the trained length, else the
// long one.
#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"
#include "support/ladder.h"
#include "support/table_values.h"

namespace sextant {
namespace {

// Four pairs; the short list divides by 2, the long one by 4, trained on 4096 positions.
std::string longrope(const std::string& rest) {
  return "rope(scaling=longrope,original=4096,short_factor=2:2:2:2,long_factor=4:4:4:4" + rest +
         ")";
}

double first_divisor(const std::string& rest, Index allocated = 1) {
  const auto effects =
      encodings().make(longrope(rest))->effects({.positions = allocated, .dim = 8});
  return 1.0 / rotary_ladder(effects)->inv_freq[0].high;
}

// transformers#33129, vllm#27414, #27431: the switch in mid-sequence left keys of the other list
// behind. Here all positions of a sequence, those before the trained length too, follow its length.
TEST(ScalingBugs, S18ASequenceHasOneList) {
  EXPECT_EQ(first_divisor(",length=4095"), 2.0);
  EXPECT_EQ(first_divisor(",length=4096"), 2.0);
  EXPECT_EQ(first_divisor(",length=4097"), 4.0);
  const Vector sines = values(make_table(*encodings().make(longrope(",length=4097")),
                                         {.kind = TableKind::kSin,
                                          .positions = Positions::range(2, 4095.0),
                                          .extent = {.dim = 8},
                                          .dtype = Dtype::kF64}));
  EXPECT_NEAR(sines[0], std::sin(4095.0 / 4.0), 1e-15);
  EXPECT_NEAR(sines[4], std::sin(4096.0 / 4.0), 1e-15);
}

// llama.cpp#8995, #24823: the list followed the memory that was set aside.
TEST(ScalingBugs, S19TheListFollowsTheSequenceAndNotTheMemory) {
  for (const Index allocated : {1, 4096, 131072}) {
    EXPECT_EQ(first_divisor(",length=100", allocated), 2.0) << allocated;
    EXPECT_EQ(first_divisor("", allocated), 2.0) << "without a length: the trained one";
    EXPECT_EQ(first_divisor(",length=5000", allocated), 4.0) << allocated;
  }
}

// mistral.rs#251, mlxcel#1358: one list was read, and the offset of a chunk chose it.
TEST(ScalingBugs, S20BothListsAreReadAndBothMustFit) {
  const Vector sines = values(make_table(*encodings().make(longrope(",length=4096")),
                                         {.kind = TableKind::kSin,
                                          .positions = Positions::range(1, 5000.0),
                                          .extent = {.dim = 8},
                                          .dtype = Dtype::kF64}));
  EXPECT_NEAR(sines[0], std::sin(5000.0 / 2.0), 1e-15) << "a far position of a short sequence";
  for (const char* length : {"64", "65"}) {
    for (const char* lists :
         {"short_factor=2:2:2,long_factor=4:4:4:4", "short_factor=2:2:2:2,long_factor=4:4:4:4:4",
          "short_factor=2:2:2:2", "long_factor=4:4:4:4"}) {
      const std::string spec =
          "rope(scaling=longrope,original=64,length=" + std::string(length) + "," + lists + ")";
      expect_error(ErrorCode::kUsage, "_factor must have 4 entries",
                   [&] { encodings().make(spec)->effects({.dim = 8}); });
    }
  }
  // Half a head turns: the lists have one entry for each pair of that half.
  EXPECT_EQ(inv_freq("rope(scaling=longrope,original=64,partial=0.5,short_factor=2:2,"
                     "long_factor=4:4)",
                     8)[0],
            0.5);
}

}  // namespace
}  // namespace sextant
