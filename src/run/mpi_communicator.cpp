// SPDX-License-Identifier: Apache-2.0
#include "run/mpi_communicator.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "run/mpi_heart.h"
#include "run/mpi_job.h"
#include "run/time_limit.h"

namespace sextant {
namespace {

constexpr int kHeadTag = 1, kBodyTag = 2;
// Of a sum under way at once: MPI holds a copy of what it adds up.
constexpr std::size_t kSummedBytes = std::size_t{1} << 24;

// Ends this rank, and so the job, when MPI stands still for longer than a rank may be silent. No
// rank can be asked then which one is missing.
TimeLimit limit_of(const RankWatch& watch, Index rank, std::string_view what) {
  const std::string text =
      fmt::format("ranks: MPI has not {} after {:.3g} s: a rank stands still or cannot be reached",
                  what, watch.deadline.count());
  return {deadline_of(watch, rank), [lost = watch.lost, text] {
            lost(text);
            _exit(exit_status(ErrorCode::kRankLost));
          }};
}

}  // namespace

MpiCommunicator::MpiCommunicator(int& argc, char**& argv, RankWatch watch, Index rank)
    : job_(std::make_unique<MpiJob>()) {
  const TimeLimit limit = limit_of(watch, rank, "started");
  job_->chunk = std::min(watch.chunk, std::size_t{1} << 30);
  job_->watch = std::move(watch);
  job_->start(argc, argv);
  std::array<char, MPI_MAX_PROCESSOR_NAME> host = {};
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  for (const auto& bytes :
       gather_all(std::as_bytes(std::span(host).first(static_cast<std::size_t>(length)))))
    job_->hosts.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  heart_ = std::make_unique<MpiHeart>(*job_);
  job_->left_early = [this] { return heart_->any_left(); };
}

MpiCommunicator::~MpiCommunicator() {
  heart_.reset();
  const TimeLimit limit = limit_of(job_->watch, job_->rank, "ended");
  job_->finish();
}

Index MpiCommunicator::rank() const { return job_->rank; }
Index MpiCommunicator::size() const { return job_->size; }
Index MpiCommunicator::on_host() const { return job_->on_host; }

void MpiCommunicator::broadcast(std::vector<std::byte>& bytes) {
  const MessageHead head = job_->shared_head(bytes);
  if (!is_root()) bytes.resize(head.length);
  job_->share_body(head, bytes);
}

std::vector<std::vector<std::byte>> MpiCommunicator::gather_all(std::span<const std::byte> mine) {
  const MessageHead own = head_of(mine);
  const auto count = static_cast<std::size_t>(size());
  std::vector<MessageHead> heads(count);
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  check_call(MPI_Iallgather(&own, sizeof(MessageHead), MPI_BYTE, heads.data(), sizeof(MessageHead),
                            MPI_BYTE, job_->work, requests.data()),
             "ranks");
  job_->wait(requests, MpiJob::kLongNap);
  std::vector<std::vector<std::byte>> all(count);
  for (std::size_t from = 0; from < count; ++from) {
    check_head(heads[from], static_cast<Index>(from));
    all[from].resize(heads[from].length);
  }
  std::ranges::copy(mine, all[static_cast<std::size_t>(rank())].begin());
  for (std::size_t from = 0; from < count; ++from)
    job_->share(all[from], static_cast<Index>(from), requests);
  job_->wait(requests, MpiJob::kShortNap);
  for (std::size_t from = 0; from < count; ++from)
    check_body(heads[from], all[from], static_cast<Index>(from));
  return all;
}

// To rank 0 and from there to all, so that all have the same bits. In place: values may take most
// of the memory.
void MpiCommunicator::sum(std::span<double> values) {
  job_->meet();
  std::vector<MPI_Request> requests;
  const std::size_t most =
      std::max<std::size_t>(1, std::min(job_->chunk, kSummedBytes) / sizeof(double));
  const std::size_t at_once = std::max<std::size_t>(1, kSummedBytes / sizeof(double) / most);
  for (std::size_t at = 0; at < values.size();) {
    const auto count = static_cast<int>(std::min(most, values.size() - at));
    requests.push_back(MPI_REQUEST_NULL);
    double* const own = values.data() + at;
    check_call(MPI_Ireduce(is_root() ? MPI_IN_PLACE : own, is_root() ? own : nullptr, count,
                           MPI_DOUBLE, MPI_SUM, 0, job_->work, &requests.back()),
               "ranks");
    if ((at += static_cast<std::size_t>(count)) == values.size() || requests.size() == at_once)
      job_->wait(requests, MpiJob::kShortNap);
  }
  const std::span<std::byte> bytes = std::as_writable_bytes(values);
  job_->share_body(job_->shared_head(bytes), bytes);
}

void MpiCommunicator::send(Index to, std::span<const std::byte> bytes) {
  const MessageHead head = head_of(bytes);
  const int target = static_cast<int>(to);
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  // Synchronous: it is over when the other rank has come for it.
  check_call(
      MPI_Issend(&head, sizeof(head), MPI_BYTE, target, kHeadTag, job_->work, requests.data()),
      "ranks");
  job_->wait(requests, MpiJob::kLongNap);
  job_->by_chunks(bytes, requests, [&](const std::byte* data, int count, MPI_Request* request) {
    return MPI_Isend(data, count, MPI_BYTE, target, kBodyTag, job_->work, request);
  });
  job_->wait(requests, MpiJob::kShortNap);
}

std::vector<std::byte> MpiCommunicator::receive(Index from) {
  MessageHead head;
  const int source = static_cast<int>(from);
  std::vector<MPI_Request> requests(1, MPI_REQUEST_NULL);
  check_call(
      MPI_Irecv(&head, sizeof(head), MPI_BYTE, source, kHeadTag, job_->work, requests.data()),
      "ranks");
  job_->wait(requests, MpiJob::kLongNap);
  check_head(head, from);
  std::vector<std::byte> bytes(head.length);
  job_->by_chunks(std::span(bytes), requests, [&](std::byte* data, int count, MPI_Request* one) {
    return MPI_Irecv(data, count, MPI_BYTE, source, kBodyTag, job_->work, one);
  });
  job_->wait(requests, MpiJob::kShortNap);
  check_body(head, bytes, from);
  return bytes;
}

void MpiCommunicator::announce(std::string_view stage) {
  if (heart_) heart_->announce(stage);
}

void MpiCommunicator::end_job(int status) { job_->abort(status); }

}  // namespace sextant
