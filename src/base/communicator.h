// SPDX-License-Identifier: Apache-2.0
// Processes that do one job together, ranks from 0: one program, the same data on every rank. What
// takes long is dealt out, its numbers are exchanged, and all ranks go on with the same bits.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual Index rank() const = 0;
  virtual Index size() const = 0;
  bool is_root() const { return rank() == 0; }
  virtual Index on_host() const { return 1; }  // ranks that share this machine, with this one

  // Collectives: every rank calls the same ones in the same order. Messages may be of any size.
  // All throw kRankLost.
  virtual void broadcast(std::vector<std::byte>& bytes) = 0;  // those of rank 0, to all
  virtual std::vector<std::vector<std::byte>> gather_all(std::span<const std::byte> mine) = 0;
  // The sum over the ranks, on every rank. Bits depend on the number of ranks.
  virtual void sum(std::span<double> values) = 0;

  virtual void send(Index to, std::span<const std::byte> bytes) = 0;
  virtual std::vector<std::byte> receive(Index from) = 0;

  // What this rank is doing, for the message when it is lost.
  virtual void announce(std::string_view stage) = 0;
};

// The only rank of a job of one process.
Communicator& alone();

// Calls work(i) once for each i in [0, count) on one of the ranks, by `threads` threads there, and
// returns what it gave, in order of i, on every rank: the same bits for any number of ranks.
std::vector<Vector> spread(Communicator& ranks, Index count, Index threads,
                           const std::function<Vector(Index)>& work);

// What work() gives on rank 0, on every rank.
Vector from_root(Communicator& ranks, const std::function<Vector()>& work);

// What rank `owner` passes as `mine`, on every rank; what the others pass is dropped.
Vector from_rank(Communicator& ranks, Index owner, Vector mine);

// True on every rank when `mine` is true on one.
bool any_of(Communicator& ranks, bool mine);

}  // namespace sextant
