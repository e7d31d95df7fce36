// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "base/check.h"

namespace sextant {

void check_threads(Index threads) {
  require(threads >= 1 && threads <= kMostThreads, "threads", "must be 1 to {} but got {}",
          kMostThreads, threads);
}

void parallel_for(Index count, Index threads, const std::function<void(Index, Index)>& work) {
  if (count <= 0) return;
  const Index pieces = std::clamp<Index>(threads, 1, std::min(count, kMostThreads));
  if (pieces == 1) return work(0, count);

  const Index length = count / pieces, longer = count % pieces;
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(pieces));
  const auto run = [&](Index piece) {
    const Index first = piece * length + std::min(piece, longer);
    try {
      work(first, first + length + (piece < longer ? 1 : 0));
    } catch (...) {
      failures[static_cast<std::size_t>(piece)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    workers.reserve(static_cast<std::size_t>(pieces - 1));
    Index started = 1;
    try {
      for (; started < pieces; ++started) workers.emplace_back(run, started);
    } catch (const std::system_error&) {
      // No more threads to be had: the rest runs here.
    }
    run(0);
    for (Index piece = started; piece < pieces; ++piece) run(piece);
  }
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace sextant
