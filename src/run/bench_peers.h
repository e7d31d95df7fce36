// SPDX-License-Identifier: Apache-2.0
// The same work in libraries of Python, where they are installed: one process of python3 runs the
// script bench_peers.py, which is part of this library, for all cases.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/bench_run.h"

namespace sextant {

// One that some case asks for.
struct PeerLibrary {
  std::string name = {};
  std::string version = {};  // empty: it cannot be used
  std::string reason = {};   // why
};

struct PeerOptions {
  Index threads = 1;
  Index repeats = 3;
  double most_seconds = 300.0;               // then the process is ended; what it told stays
  std::optional<std::uint64_t> memory = {};  // bytes to use at most; nothing: any number
  std::vector<std::string> python = {"/usr/bin/env", "python3"};
};

// Fills `peers` of the rows that were timed and have such work. Libraries that cannot be used are a
// result, not an error; so is the end of python3 itself.
std::vector<PeerLibrary> time_peers(std::span<BenchRow> rows, const PeerOptions& options);

}  // namespace sextant
