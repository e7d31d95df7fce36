// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/mpi_command.h"

namespace sextant {
namespace {

TEST(MpiMessages, ArriveWholeInChunksForAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3, 5}) {
    const CommandResult result =
        run_command(mpi_words(ranks, {SEXTANT_MPI_MESSAGES}), mpi_options());
    EXPECT_EQ(result.status, 0) << ranks << " ranks: " << result.err;
  }
}

}  // namespace
}  // namespace sextant
