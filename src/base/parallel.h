// SPDX-License-Identifier: Apache-2.0
// Threads over independent pieces of work.
#pragma once

#include <functional>

#include "sextant/matrix.h"

namespace sextant {

// More than any machine has processors for; nothing here starts more.
inline constexpr Index kMostThreads = 4096;

// Throws kUsage, naming `threads`, for a number that is not in [1, kMostThreads].
void check_threads(Index threads);

// Calls work(first, last) on disjoint pieces that cover [0, count), on up to `threads` threads.
// Pieces may run in any order; work must not depend on how the range is cut. The first exception
// is thrown again here after all threads have ended.
void parallel_for(Index count, Index threads, const std::function<void(Index, Index)>& work);

}  // namespace sextant
