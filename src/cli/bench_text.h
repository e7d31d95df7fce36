// SPDX-License-Identifier: Apache-2.0
// Times as people read them.
#pragma once

#include <span>
#include <string>

#include "cli/output.h"
#include "measure/bench_run.h"
#include "run/bench_peers.h"

namespace sextant::cli {

std::string bench_list_text(std::span<const BenchCase* const> cases, const Style& style);

// Each case with its time, and below it a line for everything that it was timed beside.
std::string bench_text(std::span<const BenchRow> rows, const BenchSize& size, const Style& style);

// "without torch (No module named 'torch')", one line for all that are missing; empty: none is.
std::string missing_peers_text(std::span<const PeerLibrary> libraries);

}  // namespace sextant::cli
