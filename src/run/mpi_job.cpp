// SPDX-License-Identifier: Apache-2.0
#include "run/mpi_job.h"

#include <unistd.h>

#include <array>
#include <cstring>
#include <optional>
#include <thread>

#include "base/check.h"
#include "base/hash.h"
#include "run/time_limit.h"

namespace sextant {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kChecksumSeed = 0x6D7069000000000A;
constexpr std::uint64_t kByteOrder = 0x0102030405060708;
constexpr std::chrono::milliseconds kMoment(3);

}  // namespace

void check_call(int result, std::string_view what) {
  if (result == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text = {};
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  fail(ErrorCode::kRankLost, what, "{}", std::string_view(text.data(), std::strlen(text.data())));
}

MessageHead head_of(std::span<const std::byte> bytes) {
  const std::uint64_t checksum = hash(bytes, kChecksumSeed);
  return {.order = kByteOrder,
          .length = bytes.size(),
          .checksum = checksum,
          .own_checksum = mixed(checksum, bytes.size())};
}

void check_head(const MessageHead& head, Index from) {
  if (head.order != kByteOrder)
    fail(ErrorCode::kRankLost, "ranks", "rank {} must have the byte order of this one but has not",
         from);
  if (head.own_checksum != mixed(head.checksum, head.length))
    fail(ErrorCode::kRankLost, "ranks", "the head of a message from rank {} came damaged", from);
}

void check_body(const MessageHead& head, std::span<const std::byte> bytes, Index from) {
  if (head_of(bytes).checksum != head.checksum)
    fail(ErrorCode::kRankLost, "ranks", "a message of {} bytes from rank {} came damaged",
         head.length, from);
}

void MpiJob::start(int& argc, char**& argv) {
  int provided = 0;
  check_call(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (provided < MPI_THREAD_MULTIPLE)
    fail(ErrorCode::kRankLost, "MPI", "must serve several threads at once; this one cannot");
  check_call(MPI_Comm_dup(MPI_COMM_WORLD, &work), "MPI");
  check_call(MPI_Comm_dup(MPI_COMM_WORLD, &beats), "MPI");
  MPI_Comm_rank(work, &rank);
  MPI_Comm_size(work, &size);
  MPI_Comm here = MPI_COMM_NULL;
  check_call(MPI_Comm_split_type(work, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here), "MPI");
  MPI_Comm_size(here, &on_host);
  MPI_Comm_free(&here);
}

void MpiJob::finish() {
  MPI_Comm_free(&beats);
  MPI_Comm_free(&work);
  MPI_Finalize();
}

void MpiJob::abort(int status) {
  // The launcher may be out of reach.
  const TimeLimit limit(std::chrono::seconds(5), [status] { _exit(status); });
  MPI_Abort(MPI_COMM_WORLD, status);
  _exit(status);
}

// Ranks with equal work come within a moment of each other, and what they exchange moves on only
// when MPI is asked: at first it is asked again at once, later after naps, a little longer each
// time. A wait that goes on spinning would take the core from a rank that has work.
void MpiJob::wait(std::vector<MPI_Request>& requests, std::chrono::microseconds longest) const {
  const Clock::time_point start = Clock::now();
  std::chrono::microseconds nap = kShortNap;
  std::optional<Clock::time_point> waits_for_nobody;
  for (;;) {
    int done = 0;
    check_call(
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
        "ranks");
    if (done != 0) break;
    if (Clock::now() - start < kMoment) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(nap);
    nap = std::min(longest, nap * 5 / 4);
    if (!left_early()) continue;
    if (!waits_for_nobody) waits_for_nobody = Clock::now();
    if (Clock::now() - *waits_for_nobody > watch.deadline)
      fail(ErrorCode::kRankLost, "ranks", "another rank ended before its work was done");
  }
  requests.clear();
}

void MpiJob::meet() const {
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  check_call(MPI_Ibarrier(work, requests.data()), "ranks");
  wait(requests, kLongNap);
}

void MpiJob::share(std::span<std::byte> bytes, Index from,
                   std::vector<MPI_Request>& requests) const {
  by_chunks(bytes, requests, [&](std::byte* data, int count, MPI_Request* request) {
    return MPI_Ibcast(data, count, MPI_BYTE, static_cast<int>(from), work, request);
  });
}

MessageHead MpiJob::shared_head(std::span<const std::byte> bytes) const {
  MessageHead head;
  if (rank == 0) head = head_of(bytes);
  std::vector<MPI_Request> requests;
  share(std::as_writable_bytes(std::span(&head, 1)), 0, requests);
  wait(requests, kLongNap);
  check_head(head, 0);
  return head;
}

void MpiJob::share_body(const MessageHead& head, std::span<std::byte> bytes) const {
  std::vector<MPI_Request> requests;
  share(bytes, 0, requests);
  wait(requests, kShortNap);
  if (rank > 0) check_body(head, bytes, 0);
}

}  // namespace sextant
