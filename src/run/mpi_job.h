// SPDX-License-Identifier: Apache-2.0
// The communicators of MPI and the ways to wait on them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/rank_watch.h"
#include "sextant/matrix.h"

namespace sextant {

// Throws kRankLost with MPI's own text unless the call worked.
void check_call(int result, std::string_view what);

// What every message begins with.
struct MessageHead {
  std::uint64_t order = 0, length = 0, checksum = 0, own_checksum = 0;
};
MessageHead head_of(std::span<const std::byte> bytes);
// Both throw kRankLost: for another byte order than ours or a damaged head, before its length is
// believed; for bytes that came damaged.
void check_head(const MessageHead& head, Index from);
void check_body(const MessageHead& head, std::span<const std::byte> bytes, Index from);

struct MpiJob {
  // Waiting for another rank to begin may take hours; what has begun moves on only when MPI is
  // asked, and is asked often.
  static constexpr std::chrono::microseconds kShortNap{20}, kLongNap{1000};

  MPI_Comm work = MPI_COMM_NULL, beats = MPI_COMM_NULL;
  int rank = 0, size = 1, on_host = 1;
  std::size_t chunk = 0;  // of RankWatch
  RankWatch watch = {};
  std::vector<std::string> hosts = {};
  std::function<bool()> left_early = [] { return false; };  // a rank is done that should not be

  // Both may wait for a rank that is stopped, for ever: see TimeLimit.
  void start(int& argc, char**& argv);
  void finish();
  // Ends every rank at once; the job returns `status`.
  [[noreturn]] static void abort(int status);

  // Sleeps between looks, `longest` at most.
  void wait(std::vector<MPI_Request>& requests, std::chrono::microseconds longest) const;

  // Waits until all ranks are here.
  void meet() const;

  // One request for each chunk of `bytes`.
  template <typename Bytes, typename Start>
  void by_chunks(Bytes bytes, std::vector<MPI_Request>& requests, const Start& begin) const {
    for (std::size_t at = 0; at < bytes.size(); at += chunk) {
      const std::size_t count = std::min(chunk, bytes.size() - at);
      requests.push_back(MPI_REQUEST_NULL);
      check_call(begin(bytes.data() + at, static_cast<int>(count), &requests.back()), "ranks");
    }
  }
  // Bytes of rank `from`, of a size that all know, to all.
  void share(std::span<std::byte> bytes, Index from, std::vector<MPI_Request>& requests) const;
  // The head of the bytes of rank 0, and then these themselves, to all.
  MessageHead shared_head(std::span<const std::byte> bytes) const;
  void share_body(const MessageHead& head, std::span<std::byte> bytes) const;
};

}  // namespace sextant
