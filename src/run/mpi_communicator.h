// SPDX-License-Identifier: Apache-2.0
// The ranks of an MPI job. Every message has its length and a checksum; waiting sleeps, so that
// ranks which share cores do not take them from each other. A thread of its own exchanges signs of
// life with rank 0 each second and ends the job when a rank is silent for too long.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/communicator.h"
#include "run/rank_watch.h"

namespace sextant {

struct MpiJob;
class MpiHeart;

class MpiCommunicator final : public Communicator {
 public:
  // Starts MPI: one at a time in a process, and one only. `rank` is what the launcher calls this
  // process, for whose turn it is to speak. Throws kRankLost where MPI cannot serve several
  // threads; ends the process with its status when MPI does not start within the deadline.
  MpiCommunicator(int& argc, char**& argv, RankWatch watch, Index rank);
  // Waits for the others, and ends MPI. An exception that is on its way must call end_job() first.
  ~MpiCommunicator() override;
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  Index rank() const override;
  Index size() const override;
  Index on_host() const override;
  void broadcast(std::vector<std::byte>& bytes) override;
  std::vector<std::vector<std::byte>> gather_all(std::span<const std::byte> mine) override;
  void sum(std::span<double> values) override;
  void send(Index to, std::span<const std::byte> bytes) override;
  std::vector<std::byte> receive(Index from) override;
  void announce(std::string_view stage) override;

  // Ends every rank at once; the job returns `status`.
  [[noreturn]] void end_job(int status);

 private:
  std::unique_ptr<MpiJob> job_;
  std::unique_ptr<MpiHeart> heart_;
};

}  // namespace sextant
