// SPDX-License-Identifier: Apache-2.0
#include "run/bench_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/text.h"
#include "io/json.h"
#include "run/process_pool.h"

namespace sextant {
namespace {

constexpr std::string_view kScript =
#include "bench_peers_script.inc"
    ;

// Sets a flag after some seconds, unless it is destroyed before.
class Deadline {
 public:
  Deadline(double seconds, std::atomic<bool>& passed)
      : thread_([this, seconds, &passed](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          const auto most = std::chrono::duration<double>(seconds);
          if (!ends_.wait_for(lock, stop, most, [] { return false; }) && !stop.stop_requested())
            passed = true;
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any ends_;
  std::jthread thread_;
};

bool has_peer(const BenchRow& row) { return row.peer && row.error.empty(); }

// Empty: it fits.
std::string memory_fault(const PeerTask& task, const PeerOptions& options) {
  if (!options.memory || task.bytes <= static_cast<double>(*options.memory)) return {};
  return fmt::format("needs {:.1f} MB of memory, have {:.1f} MB", task.bytes * 1e-6,
                     static_cast<double>(*options.memory) * 1e-6);
}

Json plan_json(std::span<const BenchRow> rows, const PeerOptions& options) {
  Json plan = {{"threads", options.threads}, {"repeats", options.repeats}};
  plan["tasks"] = Json::array();
  for (const BenchRow& row : rows) {
    if (!has_peer(row) || !memory_fault(*row.peer, options).empty()) continue;
    Json sizes = Json::object();
    for (const auto& [name, value] : row.peer->sizes) sizes[name] = value;
    plan["tasks"].push_back({{"case", row.measured->name},
                             {"function", row.peer->function},
                             {"libraries", row.peer->libraries},
                             {"sizes", std::move(sizes)},
                             {"dtype", row.peer->dtype}});
  }
  return plan;
}

// What the script says, line by line.
class PeerLines {
 public:
  PeerLines(std::span<BenchRow> rows, std::vector<PeerLibrary>& libraries)
      : rows_(rows), libraries_(libraries) {}

  // Lines of other forms come from the libraries themselves.
  void take(std::string_view line) {
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.size() == 3 && fields[0] == "library") {
      library(fields[1]).version = fields[2];
    } else if (fields.size() == 3 && fields[0] == "missing") {
      library(fields[1]).reason = fields[2];
    } else if (fields.size() == 5 && fields[0] == "time") {
      const auto shortest = parse_number(fields[3]), median = parse_number(fields[4]);
      if (PeerTime* peer = find(fields[1], fields[2]); peer && shortest && *shortest > 0.0)
        *peer = {.library = peer->library, .shortest = shortest, .median = median};
    } else if (fields.size() == 4 && fields[0] == "error") {
      if (PeerTime* peer = find(fields[1], fields[2])) peer->error = fields[3];
    }
  }

 private:
  PeerLibrary& library(std::string_view name) {
    const auto found = std::ranges::find(libraries_, name, &PeerLibrary::name);
    return found == libraries_.end() ? other_ : *found;
  }
  PeerTime* find(std::string_view name, std::string_view library) {
    for (BenchRow& row : rows_) {
      if (row.measured->name != name) continue;
      const auto found = std::ranges::find(row.peers, library, &PeerTime::library);
      if (found != row.peers.end()) return &*found;
    }
    return nullptr;
  }

  std::span<BenchRow> rows_;
  std::vector<PeerLibrary>& libraries_;
  PeerLibrary other_;
};

}  // namespace

std::vector<PeerLibrary> time_peers(std::span<BenchRow> rows, const PeerOptions& options) {
  std::vector<PeerLibrary> libraries;
  for (BenchRow& row : rows) {
    if (!has_peer(row)) continue;
    const std::string fault = memory_fault(*row.peer, options);
    for (const std::string& name : row.peer->libraries) {
      row.peers.push_back({.library = name, .error = fault});
      if (std::ranges::find(libraries, name, &PeerLibrary::name) == libraries.end())
        libraries.push_back({.name = name});
    }
  }
  if (libraries.empty()) return libraries;

  std::vector<std::string> command = options.python;
  command.insert(command.end(), {"-c", std::string(kScript), to_line(plan_json(rows, options))});
  PeerLines lines(rows, libraries);
  std::atomic<bool> late = false;
  const Deadline deadline(options.most_seconds, late);
  const auto ends = run_processes(
      std::span(&command, 1),
      {.stop = &late,
       .on_line = [&lines](std::size_t, std::string_view line) { lines.take(line); }});
  std::string end = "the script ended before it";
  if (late) {
    end = fmt::format("python3 took longer than {:g} s in all", options.most_seconds);
  } else if (ends[0] && !ends[0]->ok()) {
    end = fmt::format("python3: {}", ends[0]->reason());
  }
  for (PeerLibrary& library : libraries)
    if (library.version.empty() && library.reason.empty()) library.reason = end;
  // Of a library that is missing, rows have nothing to say.
  for (BenchRow& row : rows) {
    std::erase_if(row.peers, [&](const PeerTime& peer) {
      return std::ranges::find(libraries, peer.library, &PeerLibrary::name)->version.empty();
    });
    for (PeerTime& peer : row.peers)
      if (!peer.shortest && peer.error.empty()) peer.error = end;
  }
  return libraries;
}

}  // namespace sextant
