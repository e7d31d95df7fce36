// SPDX-License-Identifier: Apache-2.0
// The thread that exchanges signs of life: every rank with rank 0, each second. It ends the job
// when a rank is silent for too long, and passes on that one was asked to stop.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "run/mpi_job.h"
#include "run/rank_pulse.h"

namespace sextant {

class MpiHeart {
 public:
  explicit MpiHeart(const MpiJob& job);
  // Waits until every rank has ended its own.
  ~MpiHeart();
  MpiHeart(const MpiHeart&) = delete;
  MpiHeart& operator=(const MpiHeart&) = delete;

  void announce(std::string_view stage);
  bool any_left() const { return any_left_; }

 private:
  struct Beat {
    std::uint32_t stop = 0, bye = 0;
    std::array<char, 120> stage = {};
  };
  struct Peer {
    explicit Peer(Index number) : rank(static_cast<int>(number)) {}
    int rank;
    Beat in, out;
    MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
    bool said_bye = false;
  };

  void listen(Peer& peer) const;
  void hear(Peer& peer);
  void beat(Peer& peer, bool bye);
  bool is_over();
  void run();
  void end_without(Index rank) const;

  const MpiJob& job_;
  RankPulse pulse_;
  std::vector<std::unique_ptr<Peer>> peers_;
  bool must_stop_ = false;
  std::atomic<bool> is_closing_ = false, any_left_ = false;
  std::mutex mutex_;
  std::string stage_ = "starting";  // under mutex_
  std::thread thread_;
};

}  // namespace sextant
