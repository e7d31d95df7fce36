// SPDX-License-Identifier: Apache-2.0
// Ranks of a job as threads of the test: every collective goes through one table under a lock.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/communicator.h"

namespace sextant {

class ThreadRanks {
 public:
  explicit ThreadRanks(Index size) : size_(size), table_(static_cast<std::size_t>(size)) {}

  // Calls work(communicator) on a thread for each rank; the first exception is thrown again.
  void run(const std::function<void(Communicator&)>& work) {
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(size_));
    {
      std::vector<std::jthread> threads;
      for (Index rank = 0; rank < size_; ++rank) {
        threads.emplace_back([&, rank] {
          Member member(*this, rank);
          try {
            work(member);
          } catch (...) {
            failures[static_cast<std::size_t>(rank)] = std::current_exception();
          }
        });
      }
    }
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  using Bytes = std::vector<std::byte>;

  class Member final : public Communicator {
   public:
    Member(ThreadRanks& job, Index rank) : job_(job), rank_(rank) {}
    Index rank() const override { return rank_; }
    Index size() const override { return job_.size_; }
    void broadcast(Bytes& bytes) override { bytes = job_.exchanged(rank_, bytes).front(); }
    std::vector<Bytes> gather_all(std::span<const std::byte> mine) override {
      return job_.exchanged(rank_, {mine.begin(), mine.end()});
    }
    void sum(std::span<double> values) override {
      const auto mine = std::as_bytes(values);
      const std::vector<Bytes> all = job_.exchanged(rank_, {mine.begin(), mine.end()});
      std::ranges::fill(values, 0.0);
      for (const Bytes& bytes : all) {
        const auto* numbers = reinterpret_cast<const double*>(bytes.data());
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += numbers[i];
      }
    }
    void send(Index to, std::span<const std::byte> bytes) override {
      const std::lock_guard lock(job_.mutex_);
      job_.mail_[{rank_, to}].emplace_back(bytes.begin(), bytes.end());
      job_.changed_.notify_all();
    }
    Bytes receive(Index from) override {
      std::unique_lock lock(job_.mutex_);
      std::deque<Bytes>& box = job_.mail_[{from, rank_}];
      job_.changed_.wait(lock, [&] { return !box.empty(); });
      Bytes first = std::move(box.front());
      box.pop_front();
      return first;
    }
    void announce(std::string_view) override {}

   private:
    ThreadRanks& job_;
    Index rank_;
  };

  // Two meetings: all have written, all have read.
  std::vector<Bytes> exchanged(Index rank, Bytes mine) {
    {
      const std::lock_guard lock(mutex_);
      table_[static_cast<std::size_t>(rank)] = std::move(mine);
    }
    meet();
    std::vector<Bytes> all;
    {
      const std::lock_guard lock(mutex_);
      all = table_;
    }
    meet();
    return all;
  }

  void meet() {
    std::unique_lock lock(mutex_);
    const Index round = round_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return round_ != round; });
  }

  Index size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Bytes> table_;
  std::map<std::pair<Index, Index>, std::deque<Bytes>> mail_;
  Index arrived_ = 0, round_ = 0;
};

}  // namespace sextant
