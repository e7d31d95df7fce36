// SPDX-License-Identifier: Apache-2.0
#include "run/mpi_heart.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace sextant {
namespace {

using namespace std::chrono_literals;
using Clock = RankPulse::Clock;

constexpr int kBeatTag = 3;

std::vector<Index> partners(const MpiJob& job) {
  if (job.rank > 0) return {0};
  std::vector<Index> all;
  for (Index rank = 1; rank < job.size; ++rank) all.push_back(rank);
  return all;
}

bool is_done(MPI_Request& request) {
  int done = 0;
  return MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
}

}  // namespace

MpiHeart::MpiHeart(const MpiJob& job)
    : job_(job),
      pulse_(partners(job),
             std::chrono::duration_cast<Clock::duration>(deadline_of(job.watch, job.rank)),
             Clock::now()) {
  for (const Index rank : partners(job)) peers_.push_back(std::make_unique<Peer>(rank));
  for (const auto& peer : peers_) listen(*peer);
  thread_ = std::thread([this] { run(); });
}

MpiHeart::~MpiHeart() {
  is_closing_ = true;
  thread_.join();
}

void MpiHeart::announce(std::string_view stage) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
}

void MpiHeart::listen(Peer& peer) const {
  MPI_Irecv(&peer.in, sizeof(Beat), MPI_BYTE, peer.rank, kBeatTag, job_.beats, &peer.receive);
}

void MpiHeart::hear(Peer& peer) {
  while (peer.receive != MPI_REQUEST_NULL && is_done(peer.receive)) {
    const char* const end = std::ranges::find(peer.in.stage, '\0');
    pulse_.heard(peer.rank, {peer.in.stage.data(), end}, Clock::now());
    if (peer.in.stop != 0 && !must_stop_) {
      must_stop_ = true;
      job_.watch.stop();
    }
    if (peer.in.bye != 0) {
      pulse_.left(peer.rank);
      any_left_ = true;
    } else {
      listen(peer);
    }
  }
}

// Nothing while the last sign is still on its way.
void MpiHeart::beat(Peer& peer, bool bye) {
  if (peer.said_bye || !is_done(peer.send)) return;
  peer.out = {.stop = must_stop_ || job_.watch.stopping() ? 1U : 0U, .bye = bye ? 1U : 0U};
  {
    const std::lock_guard lock(mutex_);
    stage_.copy(peer.out.stage.data(), peer.out.stage.size() - 1);
  }
  peer.said_bye = bye;
  MPI_Isend(&peer.out, sizeof(Beat), MPI_BYTE, peer.rank, kBeatTag, job_.beats, &peer.send);
}

bool MpiHeart::is_over() {
  return pulse_.all_left() && std::ranges::all_of(peers_, [](const auto& peer) {
           return peer->said_bye && is_done(peer->send);
         });
}

void MpiHeart::run() {
  Clock::time_point next = Clock::now();
  while (!is_over()) {
    for (const auto& peer : peers_) hear(*peer);
    const bool bye = is_closing_;
    if (Clock::now() >= next || bye) {
      for (const auto& peer : peers_) beat(*peer, bye);
      next = std::max(next, Clock::now() - 1s) + 1s;
    }
    if (const std::optional<Index> rank = pulse_.lost(Clock::now())) end_without(*rank);
    std::this_thread::sleep_for(bye ? 1ms : 20ms);
  }
}

void MpiHeart::end_without(Index rank) const {
  job_.watch.lost(fmt::format("rank {} on {}: lost in stage '{}'; no sign of life for {:.3g} s",
                              rank, job_.hosts[static_cast<std::size_t>(rank)], pulse_.stage(rank),
                              job_.watch.deadline.count()));
  MpiJob::abort(exit_status(ErrorCode::kRankLost));
}

}  // namespace sextant
