// SPDX-License-Identifier: Apache-2.0
// For tests/mpi/messages_test.cpp: every kind of message between ranks, cut into small chunks.
// Exits with 0 when all arrive as they were sent.
#include <cstring>

#include "run/mpi_communicator.h"

namespace sextant {
namespace {

// `length` bytes that depend on `seed`.
std::vector<std::byte> made_bytes(std::size_t length, std::size_t seed) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + seed * 101 + i / 251) & 255U);
  return bytes;
}

bool broadcasts(Communicator& ranks, std::size_t length) {
  std::vector<std::byte> bytes;
  if (ranks.is_root()) bytes = made_bytes(length, 7);
  ranks.broadcast(bytes);
  return bytes == made_bytes(length, 7);
}

// Each rank has another length.
bool gathers(Communicator& ranks, std::size_t length) {
  const auto of = [&](Index rank) {
    const auto r = static_cast<std::size_t>(rank);
    return made_bytes(length * r, r);
  };
  const auto all = ranks.gather_all(of(ranks.rank()));
  bool same = std::ssize(all) == ranks.size();
  for (Index rank = 0; same && rank < ranks.size(); ++rank)
    same = all[static_cast<std::size_t>(rank)] == of(rank);
  return same;
}

// In a ring, all at once in both directions.
bool sends(Communicator& ranks, std::size_t length) {
  const Index rank = ranks.rank(), size = ranks.size();
  if (size == 1) return true;
  const auto mine = made_bytes(length, static_cast<std::size_t>(rank));
  const Index from = (rank + size - 1) % size;
  std::vector<std::byte> got;
  if (rank == 0) {
    ranks.send((rank + 1) % size, mine);
    got = ranks.receive(from);
  } else {
    got = ranks.receive(from);
    ranks.send((rank + 1) % size, mine);
  }
  return got == made_bytes(length, static_cast<std::size_t>(from));
}

bool sums(Communicator& ranks, std::size_t length) {
  std::vector<double> values(length);
  for (std::size_t i = 0; i < length; ++i)
    values[i] = static_cast<double>(i) + static_cast<double>(ranks.rank());
  ranks.sum(values);
  const auto size = static_cast<double>(ranks.size());
  for (std::size_t i = 0; i < length; ++i)
    if (values[i] != size * static_cast<double>(i) + size * (size - 1.0) / 2.0) return false;
  return true;
}

int run(int argc, char** argv) {
  RankWatch watch;
  watch.chunk = 1000;
  MpiCommunicator ranks(argc, argv, std::move(watch), 0);
  for (const std::size_t length : {0UL, 1UL, 999UL, 1000UL, 1001UL, 123'457UL}) {
    if (!broadcasts(ranks, length) || !gathers(ranks, length)) return 1;
    if (!sends(ranks, length) || !sums(ranks, length)) return 1;
  }
  return ranks.on_host() == ranks.size() ? 0 : 1;
}

}  // namespace
}  // namespace sextant

int main(int argc, char** argv) { return sextant::run(argc, argv); }
