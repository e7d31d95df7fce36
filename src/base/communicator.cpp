// SPDX-License-Identifier: Apache-2.0
#include "base/communicator.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "base/parallel.h"

namespace sextant {
namespace {

class Alone final : public Communicator {
 public:
  Index rank() const override { return 0; }
  Index size() const override { return 1; }
  void broadcast(std::vector<std::byte>&) override {}
  std::vector<std::vector<std::byte>> gather_all(std::span<const std::byte> mine) override {
    return {{mine.begin(), mine.end()}};
  }
  void sum(std::span<double>) override {}
  void send(Index to, std::span<const std::byte>) override { fail_at(to); }
  std::vector<std::byte> receive(Index from) override { fail_at(from); }
  void announce(std::string_view) override {}

 private:
  [[noreturn]] static void fail_at(Index rank) {
    fail(ErrorCode::kInternal, "communicator", "there is no rank {} beside 0", rank);
  }
};

// Vectors one after the other, each behind its size.
void append(std::vector<std::byte>& bytes, const Vector& values) {
  const std::uint64_t size = values.size();
  const auto head = std::as_bytes(std::span(&size, 1)), body = std::as_bytes(std::span(values));
  bytes.insert(bytes.end(), head.begin(), head.end());
  bytes.insert(bytes.end(), body.begin(), body.end());
}

Vector taken(std::span<const std::byte>& bytes) {
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  bytes = bytes.subspan(sizeof(size));
  Vector values(size);
  if (size > 0) std::memcpy(values.data(), bytes.data(), size * sizeof(double));
  bytes = bytes.subspan(size * sizeof(double));
  return values;
}

// Item i is known on rank i mod size; afterwards on all. In rounds of about kRoundBytes a rank, so
// that little is held twice.
void exchange(Communicator& ranks, std::vector<Vector>& items) {
  constexpr double kRoundBytes = 64e6;
  const auto rank = static_cast<std::size_t>(ranks.rank());
  const auto size = static_cast<std::size_t>(ranks.size());
  double own = 0.0;
  for (std::size_t i = rank; i < items.size(); i += size)
    own += static_cast<double>(sizeof(double) * items[i].size());
  double most = 0.0;
  for (const auto& bytes : ranks.gather_all(std::as_bytes(std::span(&own, 1)))) {
    std::memcpy(&own, bytes.data(), sizeof(own));
    most = std::max(most, own);
  }
  const std::size_t turns = (items.size() + size - 1) / size;  // items of the first rank
  const auto rounds = static_cast<std::size_t>(most / kRoundBytes) + 1;
  const std::size_t step = std::max<std::size_t>(1, (turns + rounds - 1) / rounds) * size;
  for (std::size_t start = 0; start < items.size(); start += step) {
    const std::size_t end = std::min(items.size(), start + step);
    std::vector<std::byte> mine;
    for (std::size_t i = start + rank; i < end; i += size) append(mine, items[i]);
    const std::vector<std::vector<std::byte>> all = ranks.gather_all(mine);
    for (std::size_t from = 0; from < size; ++from) {
      std::span<const std::byte> left = all[from];
      for (std::size_t i = start + from; i < end; i += size) {
        Vector item = taken(left);
        if (from != rank) items[i] = std::move(item);
      }
    }
  }
}

}  // namespace

Communicator& alone() {
  static Alone only;
  return only;
}

std::vector<Vector> spread(Communicator& ranks, Index count, Index threads,
                           const std::function<Vector(Index)>& work) {
  std::vector<Vector> results(static_cast<std::size_t>(count));
  const Index rank = ranks.rank(), size = ranks.size();
  const Index own = count > rank ? (count - rank - 1) / size + 1 : 0;
  parallel_for(own, threads, [&](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      const Index item = rank + k * size;
      results[static_cast<std::size_t>(item)] = work(item);
    }
  });
  if (size > 1) exchange(ranks, results);
  return results;
}

Vector from_root(Communicator& ranks, const std::function<Vector()>& work) {
  if (ranks.size() == 1) return work();
  std::vector<std::byte> bytes;
  if (ranks.is_root()) append(bytes, work());
  ranks.broadcast(bytes);
  std::span<const std::byte> left = bytes;
  return taken(left);
}

Vector from_rank(Communicator& ranks, Index owner, Vector mine) {
  if (ranks.size() == 1) return mine;
  std::vector<std::byte> bytes;
  if (ranks.rank() == owner) append(bytes, mine);
  const std::vector<std::vector<std::byte>> all = ranks.gather_all(bytes);
  if (ranks.rank() == owner) return mine;
  std::span<const std::byte> left = all[static_cast<std::size_t>(owner)];
  return taken(left);
}

bool any_of(Communicator& ranks, bool mine) {
  const std::byte flag{static_cast<unsigned char>(mine)};
  const auto all = ranks.gather_all(std::span(&flag, 1));
  return std::ranges::any_of(all, [](const auto& one) { return one.front() != std::byte{0}; });
}

}  // namespace sextant
