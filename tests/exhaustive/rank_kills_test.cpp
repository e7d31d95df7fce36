// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#ifdef SEXTANT_MPIEXEC

#include "support/rank_kills.h"

namespace sextant {
namespace {

// Twenty kills, in four tests for the sake of the time limit.
class RankKills : public testing::TestWithParam<unsigned> {};

TEST_P(RankKills, NeverHangAndAreResumed) { kill_ranks_at_random_moments(5, GetParam()); }

INSTANTIATE_TEST_SUITE_P(Seeds, RankKills, testing::Values(2U, 3U, 4U, 5U));

}  // namespace
}  // namespace sextant

#endif
